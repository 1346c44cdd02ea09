import ByteStreams
import JSONEvents

/// Strings that name entries of the container (`containerEntry`). Here they are only recorded.
extension RuleEvaluator {
  /// Records the claim of a string that names an entry.
  mutating func claimEntry(_ check: RuleProgram.Check, _ scalar: Scalar, in holder: Int) {
    guard options.gathersEntries else { return }
    let operand = program.constants.entries[Int(check.operand)]
    let entry = operand.prefix + scalar.text.string
    partial.entryClaims.append(EntryClaim(entry: entry, content: .isThere, rule: check.rule, subject: subject(of: scalar)))
    if operand.size != nil || operand.digest != nil {
      openEntries.append(OpenEntry(holder: holder, operand: check.operand, entry: entry))
    }
  }

  /// Records the claims of other fields in the ending object of `holder` about the entries that it names.
  mutating func claimDetails(heldBy holder: Int) {
    // Entries of enclosing objects are further down; those of other states of the same object are in between.
    var kept: [OpenEntry] = []
    defer { openEntries += kept.reversed() }
    while let open = openEntries.last, open.holder >= holder {
      openEntries.removeLast()
      guard open.holder == holder else {
        kept.append(open)
        continue
      }
      let operand = program.constants.entries[Int(open.operand)]
      // A size of 0 means that the writer didn't know it.
      if let field = operand.size, let (value, subject) = cell(field, of: holder), value.kind == .number,
        let size = value.decimal?.int64, size != 0
      {
        partial.entryClaims.append(EntryClaim(entry: open.entry, content: .size(size), rule: field.rule, subject: subject))
      }
      if let field = operand.digest, let (value, subject) = cell(field, of: holder), value.kind == .string {
        let text = String(decoding: value.text, as: UTF8.self).lowercased()
        partial.entryClaims.append(
          EntryClaim(entry: open.entry, content: .digest(operand.algorithm, text), rule: field.rule, subject: subject))
      }
    }
  }

  /// Returns a field of the ending object, with its place.
  private mutating func cell(_ field: RuleProgram.EntryOperand.Field, of holder: Int) -> (DataValue, FindingSubject)? {
    guard let index = cellIndex(of: field.name, in: holder), let position = cells[index].position else { return nil }
    let value = cells[index]
    return (
      value,
      FindingSubject(
        pointer: pointer(depth: frames.count - 1) + "/" + field.name.reportedToken, offset: position.offset, line: position.line,
        column: position.column, excerpt: String(decoding: value.text.prefix(80), as: UTF8.self))
    )
  }
}
