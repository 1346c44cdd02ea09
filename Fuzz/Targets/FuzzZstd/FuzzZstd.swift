import ByteStreams
import StreamDecoding
import ZstdStreams

/// The content of zstd data never depends on how it is read, and written data can be read back.
///
/// Any bytes, read whole and in pieces, give the same content or the same kind of error. The same bytes as content, compressed and
/// read back, stay the same. The input's first two bytes are the sizes of its pieces and of the buffers; the third is the level; the
/// rest is the data.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzZstd(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard input.count >= 3 else { return -1 }
  let data = Array(input[3...])
  let whole = decoded(data, chunkSize: .max, bufferSize: 1 << 16)
  let pieces = decoded(data, chunkSize: 1 + Int(input[0]), bufferSize: 1 + Int(input[1]))
  switch (whole, pieces) {
  // Reading stops somewhere beyond the limit.
  case (.content(let a), .content(let b)) where a.prefix(limit) == b.prefix(limit): break
  case (.failure(let a, _, _), .failure(let b, _, _)) where a == b: break
  // An error beyond the limit.
  case (.content(let a), .failure) where a.count >= limit: break
  case (.failure, .content(let b)) where b.count >= limit: break
  default: fatalError("whole and in pieces: \(whole) and \(pieces)")
  }
  let back = decoded(compressed(data, level: ZstdLevel(1 + Int(input[2]) % 6) ?? .normal), chunkSize: .max, bufferSize: 1 << 16)
  guard back == .content(data) else { fatalError("compressed data came back as \(back)") }
  return 0
}

/// The limit of the content: every byte is slow under AddressSanitizer.
private let limit = 2 << 20

private func decoded(_ data: [UInt8], chunkSize: Int, bufferSize: Int) -> Decoding {
  var source = ZstdSource(MemorySource(data, chunkSize: chunkSize))
  return Decoding(&source, bufferSize: bufferSize, limit: limit)
}

private func compressed(_ data: [UInt8], level: ZstdLevel) -> [UInt8] {
  var writer = ZstdStreamWriter(to: MemorySink(), level: level)
  let encoder = ZstdFrameEncoder(level: level)
  do throws(CofferError) {
    // A piece from a worker, then the writer's piece for the rest.
    try writer.write(data.prefix(data.count / 2).withUnsafeBytes { encoder.encode($0) })
    try writer.write(Array(data.suffix(data.count - data.count / 2)))
    try writer.finish()
  } catch {
    fatalError("writing to memory can't fail: \(error)")
  }
  return writer.sink.bytes
}
