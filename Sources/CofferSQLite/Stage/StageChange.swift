/// One step of filling a stage, in the document's order: what goes from the thread that reads the document to the one that has SQLite write.
enum StageChange: Sendable {
  /// The tables are created. The first one.
  case tables(StoreLayout)
  /// Rows come behind those of the table.
  case rows(RowBatch, TableLayout)
  /// A member of the root.
  ///
  /// - name: `nil`: the root itself, which is no object.
  /// - value: JSON; `nil`: the place of the collection of this name.
  case member(name: String?, value: [UInt8]?)
  /// What `coffer_backup` says of the backup.
  case property(name: String, value: String?)
}
