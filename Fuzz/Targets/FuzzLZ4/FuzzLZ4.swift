import ByteStreams
import LZ4Streams

/// The content of LZ4 data never depends on how it is read, and written data can be read back.
///
/// Any bytes, read whole, in pieces, and by workers frame by frame, give the same content and the same error, or none. The same
/// bytes as content, compressed and read back, stay the same. The input's first two bytes are the sizes of its pieces and of the
/// buffers; the third is the level; the rest is the data.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLZ4(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard input.count >= 3 else { return -1 }
  let data = Array(input[3...])
  let whole = Reading(of: data, chunkSize: .max, bufferSize: 1 << 16)
  let pieces = Reading(of: data, chunkSize: 1 + Int(input[0]), bufferSize: 1 + Int(input[1]))
  guard whole.agrees(with: pieces) else { fatalError("whole and in pieces: \(whole) and \(pieces)") }
  let workers = Reading(byWorkers: data)
  // For a truncated frame, workers have no content, one reader has the content before the end.
  guard whole.agrees(with: workers) else { fatalError("by one reader and by workers: \(whole) and \(workers)") }

  let stream = compressed(data, level: LZ4Level(1 + Int(input[2]) % 12) ?? .fastest)
  let back = Reading(of: stream, chunkSize: .max, bufferSize: 1 << 16)
  guard back.failure == nil, back.content == data else { fatalError("compressed data came back as \(back)") }
  return 0
}

private func compressed(_ data: [UInt8], level: LZ4Level) -> [UInt8] {
  var writer = LZ4StreamWriter(to: MemorySink(), level: level)
  let encoder = LZ4FrameEncoder(level: level)
  do throws(CofferError) {
    // Frames from a worker, then the writer's frames for the rest.
    try writer.write(data.prefix(data.count / 2).withUnsafeBytes { encoder.encode($0) })
    try writer.write(Array(data.suffix(data.count - data.count / 2)))
    try writer.finish()
  } catch {
    fatalError("writing to memory can't fail: \(error)")
  }
  return writer.sink.bytes
}
