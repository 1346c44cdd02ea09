import ByteStreams
import StreamDecoding
import ZstdStreams

/// The content of zstd data never depends on how it is read, and written data can be read back: see `FuzzedData`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzZstd(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let input = FuzzedData(start, count) else { return -1 }
  let level = 1 + input.level % 6
  let compressed = ZstdStreamWriter(to: MemorySink(), level: level).compressed(
    input.data, worker: ZstdFrameEncoder(level: level).encode)
  input.check(by: { ZstdSource($0) }, compressed: compressed)
  return 0
}
