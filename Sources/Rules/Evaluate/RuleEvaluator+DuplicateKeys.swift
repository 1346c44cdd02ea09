import ByteStreams
import Findings
import JSONEvents

/// Duplicate keys: the reader detects them whether or not a rule applies to the object. Here they become findings.
extension RuleEvaluator {
  /// Reports a duplicate key. Must be called before the key is taken.
  @inline(never)
  mutating func reportDuplicateKey(at index: Int, of batch: EventBatch) {
    guard let severity = options.duplicateKeys else { return }
    let code = "duplicate-key"
    let offset = batch.offset(of: batch[index])
    guard partial.collector.takes(FindingRule(severity: severity, code: code), at: offset) else { return }
    let pointer: String
    if skipDepth > 0 {
      pointer = self.pointer(depth: frames.count) + skippedPath.pointer(toKeyAt: index, of: batch)
    } else {
      pointer = self.pointer(depth: frames.count - 1) + "/" + batch.text(of: batch[index]).reportedToken
    }
    let position = position(at: offset)
    partial.collector.add(
      Finding(
        code: code, keyword: "", severity: severity, message: "an earlier member of this object has the same key",
        place: Place(pointer: pointer, line: position.line, column: position.column, offset: offset), schemaLocation: ""))
  }
}
