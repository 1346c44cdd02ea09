public import BackupFormats
import ByteStreams

extension TextReport {
  /// Returns the result of a merge: one line per collection, and the collections whose records have no date to decide by.
  public func text(of report: MergeReport) -> String {
    var text = ""
    for collection in report.collections + [report.envelope] {
      let counts = [
        (collection.inserted, "inserted"), (collection.replaced, "replaced"), (collection.kept, "kept"),
        (collection.same, "same"),
        (collection.onlyInFirst, "only in the first"),
      ]
      text += "\(collection.title.printable): \(counts.map { "\($0.0) \($0.1)" }.joined(separator: ", "))\n"
    }
    if !report.chosenByCreation.isEmpty {
      let titles = report.chosenByCreation.map(\.printable).joined(separator: ", ")
      text += "\(titles): chosen by the backups' creation times, because their records have no modification dates\n"
    }
    return text
  }
}
