import FoundationComparison

/// The validity and the values of JSON don't depend on the reader.
///
/// The reader and Foundation's parser both refuse a document, or both give the same values: strings to the byte, numbers as `Double`.
/// Input and corpus are those of FuzzReader: four bytes, ignored here, and the document.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFoundation(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count >= 4 else { return -1 }
  let document = Array(UnsafeBufferPointer(start: start, count: count).dropFirst(4))
  if case .different(let difference) = FoundationComparison(document) { fatalError(difference) }
  return 0
}
