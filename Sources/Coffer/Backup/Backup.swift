public import ByteStreams
public import JSONEvents
import Pipelines
public import Rules
import Synchronization
import SystemPackage

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A backup, wherever its bytes come from: read its records, or validate it.
///
/// For example:
///
///     let backup = Backup(path: "export.json")
///     for try await expense in backup.records(Expense.self, at: "/expenses") { total += expense.amount }
///
/// Compressed data (LZ4, gzip, zstd) and ZIP archives are recognised by their first bytes.
///
/// Creating one opens nothing and costs nothing. A file or bytes in memory can be read any number of times, even concurrently; a
/// stream only once.
public struct Backup: Sendable {
  /// The name in reports and messages.
  public let name: String
  /// The syntax: JSON or JSON Lines.
  public let syntax: JSONSyntax
  private let begin: @Sendable (Cancellation) throws -> BackupReading

  /// Creates a backup from a file.
  ///
  /// - Parameters:
  ///   - path: the file's path.
  ///   - syntax: the syntax (default: by the file's name).
  public init(path: String, syntax: JSONSyntax? = nil) {
    name = path
    self.syntax = syntax ?? JSONSyntax(ofFileNamed: path)
    begin = { cancellation in
      BackupReading { () throws(CofferError) in
        let file = try FileSource(path: FilePath(path), cancellation: cancellation)
        return (file, file.byteCount)
      }
    }
  }

  /// Creates a backup from bytes in memory.
  public init(bytes: [UInt8], named name: String = "memory", syntax: JSONSyntax? = nil) {
    self.name = name
    self.syntax = syntax ?? JSONSyntax(ofFileNamed: name)
    begin = { _ in BackupReading { (MemorySource(bytes), bytes.count) } }
  }

  /// Creates a backup from bytes that arrive one by one, such as those of `URL.resourceBytes` and `URLSession`. They can be read
  /// only once.
  public init<Bytes: AsyncSequence & Sendable>(
    bytes: Bytes, named name: String = "stream", syntax: JSONSyntax? = nil
  ) where Bytes.Element == UInt8 {
    self.init(streamNamed: name, syntax) { AsyncByteSource(bytes: bytes, named: name) }
  }

  /// Creates a backup from bytes that arrive in pieces, such as an HTTP body. They can be read only once.
  ///
  /// Memory: the current piece and two waiting ones, regardless of their size.
  public init<Chunks: AsyncSequence & Sendable>(
    chunks: Chunks, named name: String = "stream", syntax: JSONSyntax? = nil
  ) where Chunks.Element: Sequence<UInt8> {
    self.init(streamNamed: name, syntax) { AsyncByteSource(chunks: chunks, named: name) }
  }

  /// Creates a backup from a custom source: for example, one that decrypts or downloads.
  ///
  /// - Parameters:
  ///   - name: its name in messages.
  ///   - syntax: the syntax (default: by the name).
  ///   - source: creates a source for each reading. Its reads may block: they have their own thread.
  public init(
    named name: String = "source", syntax: JSONSyntax? = nil,
    source: @escaping @Sendable () throws(CofferError) -> any ByteSource
  ) {
    self.name = name
    self.syntax = syntax ?? JSONSyntax(ofFileNamed: name)
    begin = { _ in BackupReading { () throws(CofferError) in (try source(), nil) } }
  }

  private init(streamNamed name: String, _ syntax: JSONSyntax?, _ start: @escaping @Sendable () -> AsyncByteSource) {
    self.name = name
    self.syntax = syntax ?? JSONSyntax(ofFileNamed: name)
    let isRead = Flag()
    begin = { _ in
      if isRead.raise() {
        throw CofferError(.alreadyRead, "\(name) has already been read: a stream can be read only once")
      }
      let source = start()
      return BackupReading(cancel: { source.cancel() }) { (source, nil) }
    }
  }

  /// Begins to read it, without waiting.
  ///
  /// - Parameter cancellation: stops the reading. If the reading is waiting for a stream, call `BackupReading.cancel`, too.
  /// - Throws: `CofferError` if it can't be read again.
  func reading(cancellation: Cancellation) throws -> BackupReading { try begin(cancellation) }
}

/// A single pass over a backup's bytes.
struct BackupReading: Sendable {
  /// Ends a read that is waiting for a stream.
  let cancel: @Sendable () -> Void
  /// The bytes, and their number, if known.
  private let open: @Sendable () throws(CofferError) -> (any ByteSource, Int?)

  init(
    cancel: @escaping @Sendable () -> Void = {}, open: @escaping @Sendable () throws(CofferError) -> (any ByteSource, Int?)
  ) {
    self.cancel = cancel
    self.open = open
  }

  /// Returns the document, decompressed. Waits for the first bytes.
  ///
  /// - Parameter execution: its progress counts the stored bytes that have been read.
  /// - Throws: `zipArchive` for an archive.
  func document(_ execution: Execution = Execution()) throws -> any ByteSource {
    try source(progress: execution.progress).document(execution)
  }

  /// Returns the backup as it is stored.
  ///
  /// - Parameter progress: receives the number of bytes, if known.
  func source(progress: WorkProgress? = nil) throws(CofferError) -> any ByteSource {
    let (source, count) = try open()
    if let count { progress?.expect(count) }
    return source
  }
}

/// A flag that can be raised once.
private final class Flag: Sendable {
  private let isRaised = Atomic(false)

  /// Raises the flag, and returns true if it was already raised.
  func raise() -> Bool { isRaised.exchange(true, ordering: .acquiringAndReleasing) }
}

extension Instant {
  /// Creates the instant of a date, to the nanosecond. Dates more than about 12,000 years from 1970 become the nearest instant
  /// within that time.
  public init(_ date: Date) {
    let (interval, limit) = (date.timeIntervalSince1970, 3.8e11)
    let seconds = interval.isNaN ? 0 : min(max(interval, -limit), limit)
    let whole = seconds.rounded(.down)
    self.init(seconds: Int64(whole), attoseconds: Int64((seconds - whole) * 1e9) * 1_000_000_000)
  }

  /// The date of the instant, as exact as `Date` is.
  public var date: Date {
    Date(timeIntervalSince1970: Double(seconds) + Double(attoseconds) / 1e18)
  }
}

extension Backup {
  /// Creates a backup from a file.
  ///
  /// - Parameters:
  ///   - url: a file URL.
  ///   - syntax: the syntax (default: by the file's name).
  public init(url: URL, syntax: JSONSyntax? = nil) {
    self.init(path: url.path, syntax: syntax)
  }
}

extension Backup {
  /// Runs `work` on its own thread, which stops early if the task is cancelled or the execution's cancellation is requested.
  /// At the end, the execution's progress is finished.
  ///
  /// - Parameter work: receives a reading of the backup, and the cancellation to pass on.
  /// - Throws: the errors of `work`, `CofferError` if the bytes can't be read, `CancellationError`.
  func read<R: Sendable>(
    _ execution: Execution, _ work: @escaping @Sendable (BackupReading, Cancellation) throws -> R
  ) async throws -> R {
    defer { execution.progress?.finish() }
    let cancellation = Cancellation(within: execution.cancellation)
    let reading = try self.reading(cancellation: cancellation)
    return try await BlockingWork.run(onCancel: {
      cancellation.request()
      reading.cancel()
    }) {
      try Optional(cancellation).watch { try work(reading, cancellation) }
    }
  }
}

extension Cancellation? {
  /// Throws `CancellationError` if cancellation was requested.
  package func check() throws {
    if self?.isRequested == true { throw CancellationError() }
  }

  /// Runs `body`. If it throws after cancellation was requested (for example because a source stopped waiting), throws
  /// `CancellationError` instead.
  package func watch<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch {
      try check()
      throw error
    }
  }
}
