import ByteStreams
import Rules

/// Any bytes given as a rule document result in a program, or in an error with a message.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRules(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = UnsafeBufferPointer(start: start, count: count)
  do {
    _ = try RuleDocument(MemorySource(input)).compiled()
  } catch {
    // The user needs a message.
    guard !"\(error)".isEmpty else { fatalError("an error without a message") }
  }
  return 0
}
