/// An operation on keys that can't be decided yet.
struct KeyRecord: Hashable {
  enum Operation: UInt8, CaseIterable { case define, claim, refer }

  var operation: Operation
  /// The document's sets by their numbers, then the scoped ones in the order in which they were opened.
  var set: Int
  /// What there is to report if it fails. Of a definition, which never does, the key alone counts.
  var violation: KeyViolation
  var base: KeyLog.Target?

  var key: KeyValue { violation.key }
}
