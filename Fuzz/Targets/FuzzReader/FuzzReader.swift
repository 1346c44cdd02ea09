import ByteStreams
import JSONEvents

/// The events of a document never depend on the pieces in which it arrives, nor on how it is sliced.
///
/// Read whole, in pieces, and as envelope and slices, a document gives the same events (kind, text, place, duplicate keys) and
/// then the same error (code, message, place), or none. The input's first three bytes are the sizes of the pieces, used in turn,
/// and of the slices; the fourth sets the limits; the rest is the document.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard input.count >= 4 else { return -1 }
  var limits = ReaderLimits()
  limits.depth = 1 + Int(input[3] & 0x0F)
  limits.tokenSize = 16 << Int(input[3] >> 4)
  let document = Array(input[4...])
  let whole = Reading(of: MemorySource(document), limits: limits)
  let pieces = Reading(of: PieceSource(document, sizes: input[..<3].map { Int($0) + 1 }), limits: limits)
  guard whole == pieces else { fatalError("whole and in pieces: \(whole.difference(from: pieces))") }
  var slices = Slicer.Options()
  slices.sliceSize = 1 + Int(input[0])
  slices.largestSlice = slices.sliceSize + 16 * Int(input[1])
  let sliced = Reading(of: MemorySource(document), limits: limits, slices: slices)
  guard whole == sliced else { fatalError("whole and in slices: \(whole.difference(from: sliced))") }
  return 0
}
