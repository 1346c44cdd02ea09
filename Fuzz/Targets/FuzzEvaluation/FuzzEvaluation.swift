import ByteStreams
import PlainEvaluator
import Rules

/// The verdict on a document depends neither on its pieces nor on the evaluator.
///
/// In pieces of one byte and whole, a document gets the same verdict. For a schema of draft 2020-12 it is that of the plain
/// evaluator, if that has one. The input is a rule document, the byte 0xFF, which JSON never contains, and a document.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEvaluation(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let parts = UnsafeBufferPointer(start: start, count: count).split(
    separator: 0xFF, maxSplits: 1, omittingEmptySubsequences: false)
  guard parts.count == 2, let program = try? RuleDocument(MemorySource(parts[0])).compiled() else { return -1 }
  guard let whole = try? isValid(parts[1], by: program, chunkSize: 1 << 16) else { return -1 }
  guard let pieces = try? isValid(parts[1], by: program, chunkSize: 1) else { fatalError("an error in pieces, but not whole") }
  guard whole == pieces else { fatalError("whole: \(whole), in pieces: \(pieces)") }

  guard let schema = try? JSONValue.read(MemorySource(parts[0])), let instance = try? JSONValue.read(MemorySource(parts[1])),
    schema["$schema"]?.string == "https://json-schema.org/draft/2020-12/schema",
    // RFC 8259, section 4: the meaning of duplicate keys is unpredictable.
    !schema.repeatsNames, !instance.repeatsNames,
    let plain = try? PlainEvaluator(schema).isValid(instance)
  else { return 0 }
  guard whole == plain else { fatalError("streaming: \(whole), plain: \(plain)") }
  return 0
}

extension JSONValue.Located {
  /// True if an object in it has duplicate members.
  fileprivate var repeatsNames: Bool {
    switch value {
    case .array(let items): items.contains(where: \.repeatsNames)
    case .object(let members):
      Set(members.map { Array($0.key.utf8) }).count < members.count || members.contains(where: \.value.repeatsNames)
    default: false
    }
  }
}
