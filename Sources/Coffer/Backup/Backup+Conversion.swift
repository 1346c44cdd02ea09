public import ByteStreams
import JSONEvents
import LZ4Streams
import SystemPackage

extension Backup {
  /// Converts it to another layout, to JSON Lines, or one collection of it, into a file that appears whole or not at all; on threads of its own, so that
  /// it may be awaited anywhere.
  ///
  /// For example:
  ///
  ///     var options = ConversionOptions()
  ///     options.layout = .pretty(indent: 2)
  ///     try await Backup(path: "export.json").convert(to: "readable.json", options: options)
  ///
  /// Cost: as ``Converter``.
  ///
  /// - Parameters:
  ///   - path: compressed, if it ends in `.lz4`; JSON Lines, if it ends in `.jsonl` or `.ndjson`.
  ///   - existing: what to do about a file that is already there.
  ///   - options: how it is written; what it says itself goes before what the names show.
  /// - Throws: as ``Converter/convert(_:to:)``; `ByteStreamError` of the code `alreadyExists`. Then no file appears.
  public func convert(
    to path: String, existing: AtomicFile.Existing = .keep, options: ConversionOptions = ConversionOptions()
  ) async throws {
    try await read(cancellation: options.execution.cancellation) { [syntax] reading, cancellation in
      var options = options
      options.execution.cancellation = cancellation
      options.syntax = options.syntax ?? syntax
      if options.layout == .compact, JSONSyntax(ofFileNamed: path) == .jsonLines { options.layout = .lines }
      if LZ4Source.isNamed(by: path) { options.compression = options.compression ?? .fastest }
      var file = try AtomicFile(replacing: FilePath(path), existing: existing)
      try Converter(options: options).convert(reading.source(progress: options.execution.progress), to: &file)
      try file.commit()
    }
  }
}
