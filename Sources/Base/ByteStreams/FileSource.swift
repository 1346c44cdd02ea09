package import Platform
public import SystemPackage

/// A file or standard input, read sequentially from its descriptor.
///
/// If a regular file changes while it is read, the read at its end throws `inputChanged`: the bytes read may never have been its
/// content.
public struct FileSource: ByteSource {
  let owner: DescriptorOwner
  let name: String
  let cancellation: Cancellation?
  /// The stamp of a regular file when it was opened.
  let stamp: FileStamp?
  /// True unless this is a regular file.
  private var mayWait: Bool { stamp == nil }

  /// Opens the file at `path` for reading.
  ///
  /// - Parameters:
  ///   - path: the path of a file, pipe or device.
  ///   - cancellation: makes a waiting read throw `cancelled` within 50 ms.
  /// - Throws: `notFound`, `permissionDenied`, `isDirectory`, or `inputOutput`, with the path in the message.
  public init(path: FilePath, cancellation: Cancellation? = nil) throws(CofferError) {
    name = path.string
    self.cancellation = cancellation
    owner = try CofferError.trying("open", path.string) {
      DescriptorOwner(try FileDescriptor.open(path, .readOnly, options: [.closeOnExec]), closes: true)
    }
    stamp = FileStamp(owner.descriptor)
    // Opening a folder succeeds; only reading from it would fail.
    if stamp == nil, (try? owner.descriptor.stat().type) == .directory {
      throw CofferError(.isDirectory, verb: "read", name: path.string)
    }
  }

  /// True for a device that is no terminal: it may have no end, like `/dev/zero`.
  var isDevice: Bool { (try? owner.descriptor.stat().type) == .characterSpecial && isatty(owner.descriptor.rawValue) == 0 }

  /// The size of a regular file, or `nil` for a pipe or a terminal.
  package var byteCount: Int? { stamp?.size }

  /// The name of standard input in messages and reports.
  package static let standardInputName = "standard input"

  /// Returns standard input, which is never closed.
  public static func standardInput(cancellation: Cancellation? = nil) -> FileSource {
    FileSource(descriptor: StandardStreams.current.input, name: standardInputName, cancellation: cancellation)
  }

  private init(descriptor: FileDescriptor, name: String, cancellation: Cancellation?) {
    self.name = name
    self.cancellation = cancellation
    stamp = FileStamp(descriptor)
    owner = DescriptorOwner(descriptor, closes: false)
  }

  public mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    try waitForBytes()
    let count = try CofferError.trying("read", name) {
      try owner.descriptor.read(into: buffer)
    }
    if count == 0, !buffer.isEmpty, let stamp, FileStamp(owner.descriptor) != stamp { throw .changed(name) }
    return count
  }

  /// Waits in short intervals, because a blocked read of a pipe or terminal can't be cancelled.
  private func waitForBytes() throws(CofferError) {
    guard let cancellation, mayWait else { return }
    while true {
      if cancellation.isRequested { throw CofferError(.cancelled, "reading \(name) was cancelled") }
      var request = pollfd(fd: owner.descriptor.rawValue, events: Int16(POLLIN), revents: 0)
      // The read reports any other condition.
      let count = poll(&request, 1, 50)
      if count > 0 || count < 0 && errno != EINTR { return }
    }
  }
}

extension FileSource {
  /// Opens the file that an argument names; `-` is standard input.
  package init(argument: String, cancellation: Cancellation?) throws(CofferError) {
    self =
      argument == "-"
      ? FileSource.standardInput(cancellation: cancellation)
      : try FileSource(path: FilePath(argument), cancellation: cancellation)
  }

  /// Returns the name of an argument's file in messages.
  package static func name(ofArgument argument: String) -> String { argument == "-" ? standardInputName : argument }
}

/// The properties of a regular file that change with its content: size and modification time.
struct FileStamp: Equatable {
  let size: Int
  private let modified: FileTime

  /// Returns `nil` if this is not a regular file.
  init?(_ descriptor: FileDescriptor) {
    guard let status = try? descriptor.stat(), status.type == .regular else { return nil }
    size = Int(status.size)
    modified = FileTime(status.st_mtim)
  }
}

/// A time of a file, as its file system keeps it.
package struct FileTime: Codable, Hashable, Sendable {
  package let seconds: Int
  package let nanoseconds: Int

  package init(_ time: timespec) {
    seconds = Int(time.tv_sec)
    nanoseconds = Int(time.tv_nsec)
  }
}

extension Stat {
  /// True if both are about one file, whatever was written to it meanwhile.
  package func isSameFile(as other: Stat) -> Bool { deviceID == other.deviceID && inode == other.inode }
}

extension CofferError {
  static func changed(_ name: String) -> CofferError {
    CofferError(.inputChanged, "\(name) changed while it was being read")
  }
}

/// The only owner of a file descriptor, which it closes on deinitialisation.
package final class DescriptorOwner: Sendable {
  package let descriptor: FileDescriptor
  private let closes: Bool

  package init(_ descriptor: FileDescriptor, closes: Bool) {
    self.descriptor = descriptor
    self.closes = closes
  }

  deinit {
    // Ignoring the error is safe: written data that matters was already synced (AtomicFile), and a file that was read loses
    // nothing.
    if closes { try? descriptor.close() }
  }
}

/// A reader that can't continue after an error.
package protocol FailingReader: AnyObject {
  /// The first error.
  var failure: CofferError? { get set }
}

extension FailingReader {
  /// Repeats the first error on every later call.
  package func orFail<R>(_ body: () throws(CofferError) -> R) throws(CofferError) -> R {
    if let failure { throw failure }
    do throws(CofferError) {
      return try body()
    } catch {
      failure = error
      throw error
    }
  }
}
