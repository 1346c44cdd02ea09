/// An operation on keys that can't be decided yet; or a violation that has been decided, but not reported.
struct KeyRecord: Hashable {
  enum Operation: UInt8, CaseIterable {
    case define, claim, refer
    /// A claim of a key that is known to be in its set already.
    case duplicate
  }

  var operation: Operation
  /// The set's number: first the document's sets, then the scoped ones in the order in which they were opened.
  var set: Int
  /// The violation to report if the operation fails. For a definition, which never fails, only the key matters.
  var violation: KeyViolation
  var base: KeyLog.Target?

  var key: KeyValue { violation.key }
}

extension KeyRecord {
  /// Returns whether the numbers of a row from another process are possible.
  ///
  /// - Parameter hasScope: returns whether there is a scoped set with a number.
  func isValid(_ schema: KeySchema, hasScope: (Int) -> Bool) -> Bool {
    let isDocumentSet = set < schema.setCount
    if operation == .define { return isDocumentSet }
    let hasPlace = [violation.index, violation.offset, violation.line, violation.column].allSatisfy {
      0...PartialReader.largest ~= $0
    }
    let hasSet = isDocumentSet || operation == .duplicate || operation == .claim && hasScope(set)
    let hasBase = base.map { (0..<schema.setCount).contains(Int($0.set)) } ?? true
    // A comparison of whole records follows the step of their key.
    let hasStep = schema.isDetailed.indices.contains(Int(violation.step))
    return hasPlace && hasSet && hasBase && hasStep && violation.count >= 1 && (operation != .claim || violation.count == 1)
  }
}
