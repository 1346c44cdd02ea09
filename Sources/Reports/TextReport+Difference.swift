import ByteStreams
public import Coffer
import Findings

extension TextReport {
  /// Returns the difference between two backups.
  ///
  ///     expenses: 1 changed, 1 removed, 1 added, 1197 same
  ///       ~ 12  /expenses/11 → /expenses/12
  ///           /amount: 12.50 → 12.75
  ///       - 15  /expenses/14
  ///       + 99  /expenses/1199
  public func text(of difference: BackupDifference) -> String {
    let (old, new) = (difference.old, difference.new)
    var text = "\(old.name.printable) → \(new.name.printable)"
    if let format = difference.format { text += " · \(format.printable)" }
    if let version = new.version { text += ", version \(version.printable)" }
    text += "\n\(difference.isSame ? "the same" : "different")\n"
    for collection in difference.collections { add(collection, to: &text) }
    if !difference.envelope.isEmpty { add(difference.envelope, to: &text) }
    return text
  }

  private func add(_ collection: CollectionDifference, to text: inout String) {
    var counts = [
      (collection.changed, "changed"), (collection.removed, "removed"), (collection.added, "added"), (collection.same, "same"),
    ]
    counts.removeAll { $0.0 == 0 }
    if counts.isEmpty { counts = [(0, "records")] }
    text += "\n\(collection.title.printable): \(counts.map { "\($0.0.grouped) \($0.1)" }.joined(separator: ", "))\n"
    if collection.duplicates > 0 {
      text += "  \(collection.duplicates.grouped) with duplicate keys: compared as whole values\n"
    }
    for change in collection.changes { add(change, to: &text) }
    if collection.notShown > 0, !collection.changes.isEmpty { text += "  … \(collection.notShown.grouped) more\n" }
  }

  private func add(_ change: RecordChange, to text: inout String) {
    let key = change.key.isEmpty ? "" : change.key.printable + "  "
    switch change.kind {
    case .changed: text += line("~", .changed, "\(key)\(places(change))")
    case .removed: text += line("-", .removed, "\(key)\(places(change))")
    case .added: text += line("+", .added, "\(key)\(places(change))")
    case .duplicate:
      text += line("!", .duplicate, "\(key)\((change.old?.pointer ?? "").printable) and \((change.new?.pointer ?? "").printable)")
    }
    if let content = change.content { text += "      \(content.printable)\n" }
    for field in change.fields where change.kind == .changed {
      let pointer = field.pointer.isEmpty ? "the value" : field.pointer.printable
      text += "      \(pointer): \((field.old ?? "nothing").printable) → \((field.new ?? "nothing").printable)\n"
    }
    if let count = change.fieldsNotShown {
      if count > 0 { text += "      … \(count.counted("more field"))\n" }
    } else {
      text += "      too large to compare by field\n"
    }
  }

  private func line(_ sign: String, _ kind: RecordChange.Kind, _ content: String) -> String {
    let color =
      switch kind {
      case .changed: "33"
      case .removed: "31"
      case .added: "32"
      case .duplicate: "35"
      }
    return usesColor ? "  \u{1B}[\(color)m\(sign)\u{1B}[0m \(content)\n" : "  \(sign) \(content)\n"
  }

  private func places(_ change: RecordChange) -> String {
    let places = [change.old, change.new].compactMap { $0?.pointer }.map { $0.isEmpty ? "the document" : $0.printable }
    return Set(places).count == 1 ? places[0] : places.joined(separator: " → ")
  }
}

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
