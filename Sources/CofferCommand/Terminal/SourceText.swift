import ByteStreams
import Coffer
import SystemPackage

/// Reads parts of documents again, for the lines that reports show on a terminal.
enum SourceText {
  /// Returns these bytes of a file, or as many as there are; `nil` if it is no plain JSON file.
  @Sendable static func read(_ file: String, _ range: Range<Int>) -> [UInt8]? {
    guard file != FileSource.name(ofArgument: "-"),
      let descriptor = try? FileDescriptor.open(FilePath(file), .readOnly, options: [.closeOnExec, .nonBlocking])
    else {
      return nil
    }
    defer { try? descriptor.close() }
    func bytes(at offset: Int, count: Int) -> [UInt8]? {
      try? [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        filled = try descriptor.read(fromAbsoluteOffset: Int64(offset), into: UnsafeMutableRawBufferPointer(buffer))
      }
    }
    // Compressed data and archives, whose offsets are those of their content, begin with bytes that are no text.
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    guard let start = bytes(at: 0, count: 4),
      start.starts(with: byteOrderMark) || start.allSatisfy({ 0x20..<0x7F ~= $0 || 0x09...0x0D ~= $0 })
    else { return nil }
    return bytes(at: range.lowerBound, count: range.count)
  }
}
