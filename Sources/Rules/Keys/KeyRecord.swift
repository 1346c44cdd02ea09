/// An operation on keys that can't be decided yet.
struct KeyRecord: Hashable {
  enum Operation: UInt8, CaseIterable { case define, claim, refer }

  var operation: Operation
  /// The set's number: first the document's sets, then the scoped ones in the order in which they were opened.
  var set: Int
  /// The violation to report if the operation fails. For a definition, which never fails, only the key matters.
  var violation: KeyViolation
  var base: KeyLog.Target?

  var key: KeyValue { violation.key }
}
