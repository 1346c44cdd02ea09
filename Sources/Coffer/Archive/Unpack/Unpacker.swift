public import ByteStreams
public import SystemPackage
public import ZIPArchives

/// Unpacks an archive into a new folder, which is created complete or not at all.
///
/// For example:
///
///     let contents = try Unpacker().unpack(FileSource(path: "backup.zip"), to: "backup")
///     print(contents.files, contents.bytes)
///
/// Nothing is written outside the folder, whatever the archive contains: unsafe archives are refused, as by `ZIPReader`, and so
/// are archives that are damaged or claim to be smaller than they are. Every file has the bytes that were packed.
///
/// Cost: one pass, and a sync of the file system before the folder gets its name. Memory: that of a `ZIPReader`.
public struct Unpacker: Sendable {
  /// Options for unpacking an archive.
  public struct Options: Sendable {
    /// The archive's limits: a larger archive is refused with a `CofferError` with the code `limit`.
    public var limits = ZIPLimits()
    /// Threads, memory, temporary files, cancellation and progress.
    public var execution = Execution()

    public init() {}
  }

  /// The result of unpacking.
  public struct Contents: Sendable, Hashable, Encodable {
    /// The number of files, without folders.
    public var files = 0
    /// The total size of the files in bytes.
    public var bytes = 0
  }

  private let options: Options

  public init(options: Options = Options()) { self.options = options }

  /// Unpacks a file. Checks its directory before writing anything.
  ///
  /// - Parameters:
  ///   - file: the archive; a pipe is read as a stream.
  ///   - folder: the new folder, which must not exist; its parent must.
  /// - Throws: `CofferError`, with the code `alreadyExists` for an existing folder; `CancellationError`. Then no folder is
  ///   created.
  @discardableResult
  public func unpack(_ file: FileSource, to folder: FilePath) throws -> Contents {
    let progress = options.execution.progress
    guard let stored = StoredBytes(file, progress: progress) else { return try unpackStream(file, to: folder) }
    progress?.expect(stored.byteCount)
    return try unpack(ZIPReader(stored, options: readerOptions), to: folder)
  }

  /// Unpacks an archive as it arrives. Checks its directory, which comes last, before the folder gets its name.
  ///
  /// - Throws: the errors of ``unpack(_:to:)``.
  @discardableResult
  public func unpackStream(_ source: some ByteSource, to folder: FilePath) throws -> Contents {
    try unpack(ZIPReader(source.metered(by: options.execution.progress), options: readerOptions), to: folder)
  }

  private var readerOptions: ZIPReader.Options {
    var readerOptions = ZIPReader.Options()
    readerOptions.limits = options.limits
    return readerOptions
  }

  private func unpack(_ reader: ZIPReader, to path: FilePath) throws -> Contents {
    try options.execution.cancellation.watch {
      let folder = try UnfinishedFolder(path)
      var contents = Contents()
      while let entry = try reader.next() {
        try options.execution.cancellation.check()
        if entry.isFolder {
          try folder.makeFolder(entry.name)
          continue
        }
        contents.files += 1
        var file = try folder.makeFile(entry.name)
        while let piece = try reader.nextPiece() {
          try options.execution.cancellation.check()
          try file.write(piece)
          contents.bytes += piece.count
        }
      }
      try options.execution.cancellation.check()
      try folder.commit()
      return contents
    }
  }
}
