import Foundation
import Platform
package import SystemPackage

/// A range server in this process, for files in memory.
package final class FileServer: Sendable {
  /// The end of the connection that a client uses.
  package let connection: FileDescriptor

  /// - Parameters:
  ///   - files: the files by name.
  ///   - reply: replaces a reply's line.
  package init(_ files: [String: [UInt8]], replying reply: @escaping @Sendable (String) -> String = { $0 }) throws {
    var ends: [Int32] = [0, 0]
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Errno(rawValue: errno) }
    connection = FileDescriptor(rawValue: ends[0])
    let server = FileDescriptor(rawValue: ends[1])
    Thread.detachNewThread { Self.serve(files, on: server, reply) }
  }

  deinit { try? connection.close() }

  private static func serve(_ files: [String: [UInt8]], on connection: FileDescriptor, _ reply: (String) -> String) {
    defer { try? connection.close() }
    while let request = line(from: connection) {
      let words = request.split(separator: " ")
      let content = words.last.flatMap { files[String($0)] }
      do {
        switch (words.first ?? "", content, words.dropFirst().first.flatMap { Int($0) }) {
        case ("stat", let content?, _): try connection.writeAll("\(reply("\(content.count) version"))\n".utf8)
        case ("read", let content?, let offset?):
          // Less than is asked for, as a socket may give.
          let piece = content.dropFirst(offset).prefix(min(1000, Int(words[2]) ?? 0))
          try connection.writeAll(Array("\(reply("\(piece.count)"))\n".utf8) + piece)
        default: try connection.writeAll("\(reply("error no such file"))\n".utf8)
        }
      } catch {
        return
      }
    }
  }

  private static func line(from connection: FileDescriptor) -> String? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while (try? withUnsafeMutableBytes(of: &byte) { try connection.read(into: $0) }) == 1 {
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    return nil
  }
}
