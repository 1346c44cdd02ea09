import ByteStreams
import ZIPArchives

/// What a ZIP archive says never depends on how it is read, and what is read of one can be written and read again.
///
/// Any bytes, read whole and in pieces, give the same entries, the same contents, the same faults and the same error, or none; read with faults
/// refused, no more than with faults noted, and never more than the limits allow. What a sound archive holds is written as one of our own, which
/// is sound and holds the same. The input's first byte is the size of the pieces in which it arrives; the rest is the archive.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzZIP(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard input.count >= 2 else { return -1 }
  let archive = Array(input[1...])
  let whole = Reading(of: archive, chunkSize: .max, faults: .noted)
  let pieces = Reading(of: archive, chunkSize: 1 + Int(input[0]), faults: .noted)
  guard whole == pieces else { fatalError("whole and in pieces: \(whole) and \(pieces)") }
  let strict = Reading(of: archive, chunkSize: .max, faults: .refused)
  guard (strict.failure == nil) == (whole.failure == nil && whole.faults.isEmpty) else {
    fatalError("refused and noted: \(strict) and \(whole)")
  }
  guard strict.failure == nil else { return 0 }

  let again = Reading(of: written(strict.files), chunkSize: .max, faults: .refused)
  guard again.failure == nil, again.files == strict.files else { fatalError("\(strict) was written, and came back as \(again)") }
  return 0
}

private func written(_ files: [Reading.File]) -> [UInt8] {
  var writer = ZIPWriter(to: MemorySink())
  do throws(ZIPError) {
    for (index, file) in files.enumerated() {
      if index % 2 == 0 {
        try writer.addCompressed(file.name, from: MemorySource(file.bytes), size: file.bytes.count)
      } else {
        try writer.addStored(
          file.name, size: file.bytes.count, checksum: CRC32(of: file.bytes), from: MemorySource(file.bytes))
      }
    }
    try writer.finish()
  } catch {
    fatalError("what was read can't be written: \(error)")
  }
  return writer.sink.bytes
}
