/// The place that a finding about a key operation would point at.
package struct KeySite: Sendable, Hashable, BitwiseCopyable {
  /// The array that holds the record: an index into `KeyLog.containers`.
  package var container: Int32
  /// The record's index in that array.
  package var index: Int
  /// The offset from the document's start, in bytes.
  package var offset: Int
  /// The line, from 1, or 0 if it hasn't been looked up yet.
  package var line: Int
  package var column: Int

  package init(container: Int32, index: Int, offset: Int, line: Int = 0, column: Int = 0) {
    self.container = container
    self.index = index
    self.offset = offset
    self.line = line
    self.column = column
  }
}
