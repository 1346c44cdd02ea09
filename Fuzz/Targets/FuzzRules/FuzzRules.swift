import ByteStreams
import Rules

/// Whatever bytes stand where a rule document should: a program comes of them, or an error that says why not.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRules(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = UnsafeBufferPointer(start: start, count: count)
  do {
    _ = try RuleDocument(MemorySource(input)).compiled()
  } catch {
    // A user can act on what is said, so something is.
    guard !"\(error)".isEmpty else { fatalError("an error without words") }
  }
  return 0
}
