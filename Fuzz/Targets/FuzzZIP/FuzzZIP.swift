import ByteStreams
import ZIPArchives

/// The content of a ZIP archive never depends on how it is read, and can be written and read again.
///
/// Any bytes, read whole and in pieces, give the same entries, contents, faults and error, or none. Refusing faults gives no more
/// entries than recording them, and never more than the limits allow. The content of a valid archive is written as a new one,
/// which is valid and has the same content. The input's first byte is the size of its pieces; the rest is the archive.
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
  do throws(CofferError) {
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
    fatalError("the content can't be written: \(error)")
  }
  return writer.sink.bytes
}
