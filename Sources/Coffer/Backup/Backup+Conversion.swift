public import ByteStreams
import CompressedStreams
import JSONEvents
import SystemPackage

extension Backup {
  /// Converts the backup, or one of its collections, to another layout or to JSON Lines. The file is created complete or not at
  /// all. It runs on its own threads, so you can await it anywhere.
  ///
  /// For example:
  ///
  ///     var options = ConversionOptions()
  ///     options.layout = .pretty(indent: 2)
  ///     try await Backup(path: "export.json").convert(to: "readable.json", options: options)
  ///
  /// Cost: see ``Converter``.
  ///
  /// - Parameters:
  ///   - path: the output file: compressed if it ends in `.lz4`, `.gz` or `.zst`, JSON Lines if it ends in `.jsonl` or `.ndjson`.
  ///   - existing: what to do with an existing file.
  ///   - options: how to write it; the options override the file names.
  /// - Throws: the errors of ``Converter/convert(_:to:)``; `CofferError` with the code `alreadyExists`. Then no file is
  ///   created.
  public func convert(
    to path: String, existing: AtomicFile.Existing = .keep, options: ConversionOptions = ConversionOptions()
  ) async throws {
    try await read(options.execution) { [syntax] reading, cancellation in
      var options = options
      options.execution.cancellation = cancellation
      options.syntax = options.syntax ?? syntax
      if options.layout == .compact, JSONSyntax(ofFileNamed: path) == .jsonLines { options.layout = .lines }
      options.compression = options.compression ?? Compression(ofFileNamed: path)
      var file = try AtomicFile(FilePath(path), existing: existing)
      try Converter(options: options).convert(reading.source(progress: options.execution.progress), to: &file)
      try file.commit()
    }
  }
}
