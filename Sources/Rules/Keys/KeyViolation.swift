/// A key that stands in its set twice, or a reference to none.
package struct KeyViolation: Sendable, Hashable {
  package enum Kind: Sendable { case duplicate, dangling }

  package var kind: Kind
  /// As the log named it.
  package var step: Int32
  package var key: KeyValue
  /// The value of the field that the finding points at, where that isn't the key.
  package var excerpt: KeyValue?
  /// The JSON Pointer of the array that the record stands in.
  package var container: String
  /// The record's index in that array.
  package var index: Int
  package var offset: Int
  package var line: Int
  package var column: Int
}
