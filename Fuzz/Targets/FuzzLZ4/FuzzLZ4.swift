import ByteStreams
import LZ4Streams
import StreamDecoding

/// The content of LZ4 data never depends on how it is read, and written data can be read back.
///
/// Any bytes, read whole, in pieces, and by workers frame by frame, give the same content and the same error, or none. The same
/// bytes as content, compressed and read back, stay the same. `FuzzedData` shows the form of the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLZ4(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let input = FuzzedData(start, count) else { return -1 }
  let whole = Reading(of: input.data, chunkSize: .max, bufferSize: 1 << 16)
  let pieces = Reading(of: input.data, chunkSize: input.chunkSize, bufferSize: input.bufferSize)
  guard whole.agrees(with: pieces) else { fatalError("whole and in pieces: \(whole) and \(pieces)") }
  let workers = Reading(byWorkers: input.data)
  // For a truncated frame, workers have no content, one reader has the content before the end.
  guard whole.agrees(with: workers) else { fatalError("by one reader and by workers: \(whole) and \(workers)") }

  let level = 1 + input.level % 12
  let stream = LZ4StreamWriter(to: MemorySink(), level: level).compressed(
    input.data, worker: LZ4FrameEncoder(level: level).encode)
  let back = Reading(of: stream, chunkSize: .max, bufferSize: 1 << 16)
  guard back.failure == nil, back.content == input.data else { fatalError("compressed data came back as \(back)") }
  return 0
}
