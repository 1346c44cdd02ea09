import ByteStreams
import Platform
import SystemPackage

/// Both ends of a pipe. Other processes inherit neither unless it is passed to them.
struct Pipe {
  let readEnd: ReadEnd
  let writeEnd: DescriptorOwner

  /// - Throws: `Errno`.
  init() throws {
    let ends = try FileDescriptor.pipe()
    readEnd = ReadEnd(DescriptorOwner(ends.readEnd, closes: true))
    writeEnd = DescriptorOwner(ends.writeEnd, closes: true)
    for end in [ends.readEnd, ends.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
    // Reads never block, because there may be no writer left.
    _ = fcntl(ends.readEnd.rawValue, F_SETFL, O_NONBLOCK)
  }
}

/// The read end of a pipe, and the last mebibyte of its output.
struct ReadEnd {
  private static let limit = 1 << 20

  private var owner: DescriptorOwner?
  private(set) var bytes: [UInt8] = []

  init(_ owner: DescriptorOwner) { self.owner = owner }

  /// The argument for `poll`, which skips it once the pipe has ended.
  var polled: pollfd { pollfd(fd: owner?.descriptor.rawValue ?? -1, events: Int16(POLLIN), revents: 0) }

  /// Reads the available bytes, up to 64 KiB. Returns false if there were none.
  @discardableResult
  mutating func read() -> Bool {
    guard let owner else { return false }
    let count = try? withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
      let count = try owner.descriptor.read(into: buffer)
      bytes += UnsafeRawBufferPointer(rebasing: buffer[..<count])
      return count
    }
    if count == 0 { self.owner = nil }
    if bytes.count > 2 * Self.limit { bytes.removeFirst(bytes.count - Self.limit) }
    return count ?? 0 > 0
  }

  /// Reads all available bytes.
  mutating func readAll() {
    while read() {}
    if bytes.count > Self.limit { bytes.removeFirst(bytes.count - Self.limit) }
  }
}
