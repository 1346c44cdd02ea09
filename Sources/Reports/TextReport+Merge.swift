public import BackupFormats
import ByteStreams
import Findings

extension TextReport {
  /// Returns the result of a merge: one line per collection, and the collections whose records have no date to decide by.
  public func text(of report: MergeReport) -> String {
    var text = ""
    for collection in report.collections + [report.envelope] {
      let counts = [
        (collection.inserted, "inserted"), (collection.replaced, "replaced"), (collection.kept, "kept"),
        (collection.same, "same"),
        (collection.onlyInFirst, "only in the first"),
      ].filter { $0.0 > 0 }
      let words = counts.isEmpty ? "none" : counts.map { "\($0.0.grouped) \($0.1)" }.joined(separator: ", ")
      text += "\(collection.title.printable): \(words)\n"
    }
    text += choice(byCreationIn: report.chosenByCreation)
    if !report.decidedWhole.isEmpty {
      let pointers = report.decidedWhole.map(\.printable).joined(separator: ", ")
      // There may be more.
      let rest = report.decidedWhole.count < MergeReport.decidedWholeLimit ? "" : " and others"
      text += "\(pointers)\(rest): decided as a whole, because their records have no key\n"
    }
    return text
  }

  /// Returns a line about the collections in which the backups' creation times decided, if there are any.
  public func choice(byCreationIn titles: [String]) -> String {
    if titles.isEmpty { return "" }
    return
      "\(titles.map(\.printable).joined(separator: ", ")): chosen by the backups' creation times, because their records have no modification dates\n"
  }
}
