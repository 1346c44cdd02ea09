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
