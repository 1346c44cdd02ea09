/// The place of what an operation on keys would be a finding about.
package struct KeySite: Sendable, Hashable, BitwiseCopyable {
  /// The array that the record stands in: an index into `KeyLog.containers`.
  package var container: Int32
  /// The record's index in that array.
  package var index: Int
  /// Counted in bytes from the document's start.
  package var offset: Int
  /// From 1 on; 0: not looked up yet.
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
