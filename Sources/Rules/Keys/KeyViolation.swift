/// A duplicate key, or a reference without a target.
package struct KeyViolation: Sendable, Hashable {
  package enum Kind: Sendable { case duplicate, dangling }

  package var kind: Kind
  /// The step from the log.
  package var step: Int32
  package var key: KeyValue
  /// The value of the field that the finding points at, if that isn't the key.
  package var excerpt: KeyValue?
  /// The JSON Pointer of the array that holds the record.
  package var container: String
  /// The record's index in that array.
  package var index: Int
  package var offset: Int
  package var line: Int
  package var column: Int
  /// The number of equal violations that this one represents. Its place is that of the first of them.
  package var count = 1
}
