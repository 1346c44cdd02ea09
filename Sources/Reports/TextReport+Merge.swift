public import BackupFormats
import ByteStreams

extension TextReport {
  /// What came of a merge: a line for each collection, and how records were chosen where it wasn't by a date of their own.
  public func text(of report: MergeReport) -> String {
    var text = ""
    for collection in report.collections + [report.spine] {
      let counts = [
        (collection.inserted, "inserted"), (collection.replaced, "replaced"), (collection.kept, "kept"),
        (collection.same, "same"),
        (collection.untouched, "only in the first"),
      ]
      text += "\(collection.title.printable): \(counts.map { "\($0.0) \($0.1)" }.joined(separator: ", "))\n"
    }
    if !report.chosenByCreation.isEmpty {
      let titles = report.chosenByCreation.map(\.printable).joined(separator: ", ")
      text += "\(titles): chosen by the backups' dates of creation, for want of dates of change\n"
    }
    return text
  }
}
