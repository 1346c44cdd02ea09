/// One step of filling a stage, in the document's order. The thread that reads the document sends it to the thread that writes.
enum StageChange: Sendable {
  /// Creates the tables. The first step.
  case tables(StoreLayout)
  /// Appends rows to the table.
  case rows(RowBatch, TableLayout)
  /// A member of the root.
  ///
  /// - name: `nil` for the root itself if it isn't an object.
  /// - value: JSON. `nil` marks the place of the collection with this name.
  case member(name: String?, value: [UInt8]?)
  /// A property of the backup, for `coffer_backup`.
  case property(name: String, value: String?)
}
