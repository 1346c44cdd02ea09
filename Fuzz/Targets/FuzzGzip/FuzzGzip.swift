import ByteStreams
import GzipStreams
import StreamDecoding

/// The content of gzip data never depends on how it is read, and written data can be read back: see `FuzzedData`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzGzip(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let input = FuzzedData(start, count) else { return -1 }
  let level = 1 + input.level % 9
  let compressed = GzipStreamWriter(to: MemorySink(), level: level).compressed(
    input.data, worker: GzipPieceEncoder(level: level).encode)
  input.check(by: { GzipSource($0) }, compressed: compressed)
  return 0
}
