import ByteStreams

extension ByteSource {
  /// Returns the pieces that reads into a buffer of `size` bytes give. Reads once more after the end, which must stay the end.
  mutating func pieces(bufferSize size: Int) throws(CofferError) -> [[UInt8]] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
    defer { buffer.deallocate() }
    var pieces: [[UInt8]] = []
    while true {
      let count = try read(into: buffer)
      if count == 0 { break }
      pieces.append(Array(buffer[..<count]))
    }
    if try read(into: buffer) != 0 { pieces.append([]) }
    return pieces
  }

  mutating func text(bufferSize size: Int = 7) throws(CofferError) -> String {
    String(decoding: try pieces(bufferSize: size).joined(), as: UTF8.self)
  }
}
