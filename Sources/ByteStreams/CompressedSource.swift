/// Compressed data, decoded as it is read: frames, or the members of gzip data, one after the other.
package protocol CompressedSource: FailingReader, ChecksummedSource {
  /// The code of errors about damage.
  static var corruption: CofferError.Code { get }

  /// The number of compressed bytes decoded so far.
  var bytesRead: Int { get }
  /// True within a frame that ends with a checksum of its content.
  var isBeforeChecksum: Bool { get }

  /// Begins the next frame unless one is open. Returns false at the end of the data.
  func beginFrame() throws(CofferError) -> Bool

  /// Decodes content of the open frame. Returns 0 only at its end, after which it is closed.
  func readFrame(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int
}

extension CompressedSource {
  /// Decodes the next content. Returns 0 at the end of the data.
  package func readContent(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    try orFail { () throws(CofferError) in
      while try beginFrame() {
        let count = try readFrame(into: buffer)
        if count > 0 { return count }
      }
      return 0
    }
  }

  /// Reads to the end of the current frame.
  package func damage(within limit: Int) -> CofferError? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { buffer.deallocate() }
    do throws(CofferError) {
      try orFail { () throws(CofferError) in
        var rest = limit
        while rest > 0, isBeforeChecksum { rest -= try readFrame(into: buffer) }
      }
      return nil
    } catch {
      return error.code == Self.corruption ? error : nil
    }
  }
}
