import JSONEvents
import LaneComparison

/// The lane gives the same events for a slice as yajl, or both refuse it.
///
/// The input's first byte selects JSON Lines or a sequence, the comparison of keys and the depth limit; the rest is the slice.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLane(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = UnsafeBufferPointer(start: start, count: count)
  guard let choice = input.first else { return -1 }
  var limits = ReaderLimits()
  limits.tokenSize = 64
  if choice & 4 != 0 { limits.depth = 1 + Int(choice >> 4) }
  if choice & 8 != 0 { limits.lineSize = 16 + Int(choice >> 4) }
  let records = Array(input.dropFirst())
  let syntax: JSONSyntax = choice & 1 == 0 ? .json : choice & 12 == 4 ? .sequence : .jsonLines
  // The slicer has checked the text, except for lines and sequences.
  if syntax == .json, String(validating: records, as: UTF8.self) == nil || records.contains(where: { $0 == 0x0B || $0 == 0x0C }) {
    return -1
  }
  let (names, _) = SliceReading.kernelsThatDiffer(on: records, syntax: syntax, limits: limits, comparesKeys: choice & 2 == 0)
  guard names.isEmpty else { fatalError("\(names) and yajl differ") }
  return 0
}
