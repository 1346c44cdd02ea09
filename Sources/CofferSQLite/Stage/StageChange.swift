/// One step of filling a stage, in the document's order. The thread that reads the document sends it to the one that writes to
/// SQLite.
enum StageChange: Sendable {
  /// Creates the tables. The first change.
  case tables(StoreLayout)
  /// Appends rows to the table.
  case rows(RowBatch, TableLayout)
  /// A member of the root.
  ///
  /// - name: `nil`: the root itself, which isn't an object.
  /// - value: JSON; `nil`: the place of the collection of this name.
  case member(name: String?, value: [UInt8]?)
  /// A property of the backup in `coffer_backup`.
  case property(name: String, value: String?)
}
