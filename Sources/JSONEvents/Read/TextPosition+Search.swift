package import ByteStreams
import CByteScan

extension TextPosition {
  /// Finds the line and column of a place by reading the document again.
  ///
  /// - Parameters:
  ///   - offset: in bytes; if the source ends before, the position is its end.
  ///   - source: the document from its start.
  package init(of offset: Int, in source: any ByteSource) throws(CofferError) {
    self.init(offset: 0, line: 1, column: 1)
    var source = source
    var line: UInt64 = 1
    var column: UInt64 = 1
    let mark = try source.readPrefix(min(3, offset))
    self.offset = mark.count
    // A byte-order mark takes no column.
    if mark != [0xEF, 0xBB, 0xBF] { mark.withUnsafeBufferPointer { Self.advance($0, $0.count, &line, &column) } }
    let piece = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 16)
    defer { piece.deallocate() }
    while self.offset < offset {
      let wanted = UnsafeMutableBufferPointer(rebasing: piece.prefix(offset - self.offset))
      let count = try source.read(into: UnsafeMutableRawBufferPointer(wanted))
      if count == 0 { break }
      Self.advance(UnsafeBufferPointer(wanted), count, &line, &column)
      self.offset += count
    }
    self.line = Int(line)
    self.column = Int(column)
  }

  private static func advance(_ bytes: UnsafeBufferPointer<UInt8>, _ count: Int, _ line: inout UInt64, _ column: inout UInt64) {
    if let start = bytes.baseAddress, count > 0 { coffer_advance_position(start, count, &line, &column) }
  }
}
