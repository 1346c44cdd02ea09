import RoundTrip

/// A document that is read, written and read again stays the same.
///
/// Input and corpus are those of FuzzReader: four bytes, ignored here, and the document.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRoundTrip(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count >= 4 else { return -1 }
  if let failure = RoundTrip.failure(of: Array(UnsafeBufferPointer(start: start, count: count).dropFirst(4))) {
    fatalError(failure)
  }
  return 0
}
