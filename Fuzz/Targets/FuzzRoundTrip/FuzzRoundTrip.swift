import RoundTrip

/// What was read, written and read again is the same.
///
/// The input is as that of FuzzReader, and the corpus is the same: four bytes that mean nothing here, and the document.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRoundTrip(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count >= 4 else { return -1 }
  if let failure = RoundTrip.failure(of: Array(UnsafeBufferPointer(start: start, count: count).dropFirst(4))) {
    fatalError(failure)
  }
  return 0
}
