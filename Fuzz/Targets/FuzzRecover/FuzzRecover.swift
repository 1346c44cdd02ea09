import Coffer

/// Whatever the bytes are, what is recovered from them is well-formed, and recovering it again changes nothing. A well-formed document is
/// recovered byte for byte.
///
/// The input's first byte selects JSON Lines, the size of pieces, rules, and whether invalid records are left out; the rest is the document,
/// plain or compressed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecover(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = UnsafeBufferPointer(start: start, count: count)
  guard let choice = input.first else { return -1 }
  let name = choice & 1 == 0 ? "a.json" : "a.ndjson"
  let hasRules = choice & 4 != 0
  guard let rules = hasRules ? RuleSource.document(collections, name: "rules") : try? .syntaxOnly() else { return -1 }
  var options = RecoveryOptions(now: Instant(seconds: 0))
  options.validation.execution.jobs = 1
  if hasRules, choice & 8 != 0 {
    options.invalidRecords = InvalidRecords()
    if choice & 16 != 0 { options.invalidRecords?.dangling = .null }
    if choice & 32 != 0 { options.invalidRecords?.duplicates = .last }
  }

  func recover(_ bytes: [UInt8]) -> (bytes: [UInt8], report: RecoveryReport)? {
    var sink = MemorySink()
    let source = MemorySource(bytes, chunkSize: choice & 2 == 0 ? .max : 1)
    do {
      let report = try Recovery(rules, options: options).recover(source, named: name, to: &sink)
      return (sink.bytes, report)
    } catch {
      return nil
    }
  }
  let document = Array(input.dropFirst())
  guard let (recovered, report) = recover(document) else { return -1 }
  if report.isEmpty { return 0 }
  if let error = report.validation.error { fatalError("the result is not well-formed: \(error)") }
  guard let (again, second) = recover(recovered) else { fatalError("the result can't be read") }
  guard again == recovered, second.isUndamaged else { fatalError("recovering the result changes it: \(second.leftOut)") }
  let isWhole =
    (try? Validator(.syntaxOnly(), options: options.validation).validate(MemorySource(document), named: name))?.error == nil
  let isCompressed = (try? Decompression(MemorySource(document)).format) ?? nil != nil
  if isWhole, options.invalidRecords == nil, !isCompressed, recovered != document {
    fatalError("a well-formed document has changed: \(report.leftOut)")
  }
  return 0
}

private let collections: RuleDocument = {
  let rules = #"""
    {"properties": {
      "n": {"countOf": "/a"},
      "a": {"primaryKey": "id", "items": {"required": ["id"], "properties": {"id": {"type": ["integer", "null"]}, "b": {"type": "object"}}}},
      "c": {"items": {"type": "object"}, "foreignKeys": [{"fields": "a", "reference": {"resource": "/a", "fields": "id"}}]},
      "u": {"additionalProperties": {"type": "object", "required": ["id"]}}}}
    """#
  do { return try RuleDocument(MemorySource(rules.utf8)) } catch { fatalError("\(error)") }
}()
