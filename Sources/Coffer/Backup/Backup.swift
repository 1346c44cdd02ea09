public import ByteStreams
public import JSONEvents
import Synchronization
import SystemPackage

/// A backup, wherever its bytes come from: what to read records from, and to validate.
///
/// For example:
///
///     let backup = Backup(path: "export.json")
///     for try await expense in backup.records(Expense.self, at: "/expenses") { total += expense.amount }
///
/// LZ4 data (`lz4 export.json`) and ZIP archives are recognised by their first bytes.
///
/// Making one opens nothing and costs nothing. A file or bytes in memory can be read any number of times, also at once; a stream once.
public struct Backup: Sendable {
  /// Its name in reports and messages.
  public let name: String
  /// How it is written down.
  public let syntax: JSONSyntax
  /// The kind of source, which decides how often it can be read.
  let content: Content
  private let begin: @Sendable (Cancellation) throws -> BackupReading

  enum Content: Sendable {
    case file(String)
    case bytes([UInt8])
    /// A source that is opened again for each reading.
    case source
    /// A stream, which can be read once.
    case stream
  }

  /// A file.
  ///
  /// - Parameters:
  ///   - path: the file's path.
  ///   - syntax: the syntax (default: by the file's name).
  public init(path: String, syntax: JSONSyntax? = nil) {
    name = path
    self.syntax = syntax ?? JSONSyntax(ofFileNamed: path)
    content = .file(path)
    begin = { cancellation in
      BackupReading { () throws(ByteStreamError) in
        let file = try FileSource(path: FilePath(path), cancellation: cancellation)
        return (file, file.byteCount)
      }
    }
  }

  /// Bytes in memory.
  public init(bytes: [UInt8], named name: String = "memory", syntax: JSONSyntax? = nil) {
    self.name = name
    self.syntax = syntax ?? JSONSyntax(ofFileNamed: name)
    content = .bytes(bytes)
    begin = { _ in BackupReading { (MemorySource(bytes), bytes.count) } }
  }

  /// Bytes that arrive one by one, as `URL.resourceBytes` and `URLSession` give them. They can be read once.
  public init<Bytes: AsyncSequence & Sendable>(
    bytes: Bytes, named name: String = "stream", syntax: JSONSyntax? = nil
  ) where Bytes.Element == UInt8 {
    self.init(streamNamed: name, syntax) { AsyncByteSource(bytes: bytes, named: name) }
  }

  /// Bytes that arrive in pieces, as an HTTP body does. They can be read once.
  ///
  /// Memory: a piece that was read, and two that wait, whatever their size.
  public init<Chunks: AsyncSequence & Sendable>(
    chunks: Chunks, named name: String = "stream", syntax: JSONSyntax? = nil
  ) where Chunks.Element: Sequence<UInt8> {
    self.init(streamNamed: name, syntax) { AsyncByteSource(chunks: chunks, named: name) }
  }

  /// A source of your own: what decrypts, or downloads.
  ///
  /// - Parameters:
  ///   - name: what messages call it.
  ///   - syntax: the syntax (default: by the name).
  ///   - source: makes one, for each reading anew. Its reads may block: they have a thread of their own.
  public init(
    named name: String = "source", syntax: JSONSyntax? = nil,
    source: @escaping @Sendable () throws(ByteStreamError) -> any ByteSource
  ) {
    self.name = name
    self.syntax = syntax ?? JSONSyntax(ofFileNamed: name)
    content = .source
    begin = { _ in BackupReading { () throws(ByteStreamError) in (try source(), nil) } }
  }

  private init(streamNamed name: String, _ syntax: JSONSyntax?, _ start: @escaping @Sendable () -> AsyncByteSource) {
    self.name = name
    self.syntax = syntax ?? JSONSyntax(ofFileNamed: name)
    content = .stream
    let isRead = Flag()
    begin = { _ in
      if isRead.raise() {
        throw ByteStreamError(code: .alreadyRead, message: "\(name) is a stream, which can be read once, and has been read")
      }
      let source = start()
      return BackupReading(cancel: { source.cancel() }) { (source, nil) }
    }
  }

  /// Begins to read it, without waiting for anything.
  ///
  /// - Parameter cancellation: what ends the reading; where that waits for a stream, `BackupReading.cancel` has to be called, too.
  /// - Throws: `ByteStreamError` if it can't be read again.
  func reading(cancellation: Cancellation) throws -> BackupReading { try begin(cancellation) }
}

/// A single pass over a backup's bytes.
struct BackupReading: Sendable {
  /// Ends a read that waits for others.
  let cancel: @Sendable () -> Void
  /// The bytes, and how many there are, if that is known.
  private let open: @Sendable () throws(ByteStreamError) -> (any ByteSource, Int?)

  init(
    cancel: @escaping @Sendable () -> Void = {}, open: @escaping @Sendable () throws(ByteStreamError) -> (any ByteSource, Int?)
  ) {
    self.cancel = cancel
    self.open = open
  }

  /// The document, decompressed. Waits for the first bytes.
  ///
  /// - Parameter progress: counts the bytes read from the backup as it is stored.
  /// - Throws: `zipArchive` for an archive.
  func document(progress: ByteProgress? = nil) throws(ByteStreamError) -> any ByteSource {
    try source(progress: progress).document(progress: progress)
  }

  /// The backup as it is stored.
  ///
  /// - Parameter progress: gets the number of bytes, if it is known.
  func source(progress: ByteProgress? = nil) throws(ByteStreamError) -> any ByteSource {
    let (source, count) = try open()
    progress?.expect(count)
    return source
  }
}

/// Can be raised once.
private final class Flag: Sendable {
  private let isRaised = Atomic(false)

  /// Raises the flag, and returns true if it was raised before.
  func raise() -> Bool { isRaised.exchange(true, ordering: .acquiringAndReleasing) }
}
