package import SystemPackage

/// Another process that reads ranges of files, such as one with a client of an object store.
///
/// Requests and replies are lines on a connected socket; the bytes of a range follow the reply.
///
///     ─▶ stat s3a://bucket/export.json⏎                       ◀─ 5005799936 1764061739000⏎
///     ─▶ read 1048576 65536 s3a://bucket/export.json⏎         ◀─ 65536⏎, and that number of bytes
///     ─▶ stat s3a://bucket/gone.json⏎                         ◀─ error no such file⏎
///
/// The reply to `stat` has the size, and a word that changes with the content, such as the modification time.
package final class RangeServer {
  /// A file of the server.
  struct Status {
    let size: Int
    let version: String
  }

  private let connection: FileDescriptor
  /// Bytes received after a reply's line.
  private var received: [UInt8] = []

  /// The longest line of a reply.
  private static let lineLimit = 1 << 16

  /// - Parameter connection: an open socket, which stays open.
  package init(_ connection: FileDescriptor) { self.connection = connection }

  /// True for names that a server has: URIs with a scheme of at least two letters, as in `hdfs:/export.json`.
  package static func serves(_ name: String) -> Bool {
    let scheme = name.utf8.prefix { $0 != UInt8(ascii: ":") }
    return scheme.count >= 2
      && scheme.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || "0123456789+-.".utf8.contains($0) }
      && name.utf8.dropFirst(scheme.count).starts(with: ":/".utf8)
  }

  func status(of name: String) throws(CofferError) -> Status {
    let words = try ask("stat", about: name)
    guard words.count == 2, let size = Int(words[0]), (0...1 << 53).contains(size) else { throw Self.malformed(name) }
    return Status(size: size, version: words[1])
  }

  /// Fills the buffer, which isn't empty, with the bytes of a file from `offset`.
  ///
  /// - Returns: the number of bytes, which is 0 only if the file ends there.
  func read(_ name: String, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let words = try ask("read \(offset) \(buffer.count)", about: name)
    guard words.count == 1, let count = Int(words[0]), (0...buffer.count).contains(count) else { throw Self.malformed(name) }
    let known = min(count, received.count)
    received[..<known].withUnsafeBytes { buffer.copyMemory(from: $0) }
    received.removeFirst(known)
    var end = known
    while end < count { end += try receive(into: UnsafeMutableRawBufferPointer(rebasing: buffer[end..<count]), of: name) }
    return count
  }

  /// Sends a request, and returns the words of the reply.
  private func ask(_ request: String, about name: String) throws(CofferError) -> [String] {
    if name.utf8.contains(UInt8(ascii: "\n")) { throw CofferError(.notFound, "no file has the name \(name.printable)") }
    _ = try CofferError.trying("ask the range server for", name) {
      try connection.writeAll("\(request) \(name)\n".utf8)
    }
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        let words = String(decoding: received[..<end], as: UTF8.self).split(separator: " ").map(String.init)
        received.removeFirst(end + 1)
        guard words.first == "error" else { return words }
        throw CofferError(.inputOutput, "cannot read \(name): \(words.dropFirst().joined(separator: " ").printable)")
      }
      if received.count > Self.lineLimit { throw Self.malformed(name) }
      let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 12, alignment: 1)
      defer { piece.deallocate() }
      received += piece.prefix(try receive(into: piece, of: name))
    }
  }

  /// Receives at least one byte.
  private func receive(into buffer: UnsafeMutableRawBufferPointer, of name: String) throws(CofferError) -> Int {
    let count = try CofferError.trying("read", name) {
      try connection.read(into: buffer)
    }
    if count == 0 { throw CofferError(.inputOutput, "cannot read \(name): the range server has ended") }
    return count
  }

  private static func malformed(_ name: String) -> CofferError {
    CofferError(.inputOutput, "cannot read \(name): the range server's reply is malformed")
  }
}
