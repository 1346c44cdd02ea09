import ByteStreams
public import Coffer
import Findings
import JSONEvents

extension TextReport {
  /// Returns the result of a migration, with a line per step that found something. Each line ends with a line break.
  ///
  ///     export.json: ev-charging-tracker, version 5 -> 9
  ///       /documents: filled with []
  ///       /cars/*/carType: filled with "electric", in 3 records
  public func text(of report: MigrationReport, named name: String) -> String {
    "\(name.printable): \(report.heading.printable)\n" + steps(of: report)
  }

  /// Returns a line per step of a migration that found something.
  public func steps(of report: MigrationReport, indent: Int = 2) -> String {
    var text = ""
    for step in report.steps where step.changed > 0 || step.skipped > 0 {
      text += "\(Self.blanks(indent))\(step.pointer.printable): "
      if step.changed > 0 {
        text += step.summary.printable + step.records(step.changed)
        if step.cut > 0 { text += "; fractions of a second cut off\(step.records(step.cut))" }
        if step.skipped > 0 { text += "; " }
      }
      if step.skipped > 0 { text += "skipped, because the value is of another kind\(step.records(step.skipped))" }
      text += "\n"
    }
    return text
  }
}

extension MigrationReport {
  fileprivate var heading: String {
    guard endsEarly, let versionAfter, let currentVersion else { return result }
    return "\(result); no migration from version \(versionAfter) to \(currentVersion)"
  }

  private var result: String {
    func name(_ format: String, _ version: Int?) -> String { format + (version.map { ", version \($0)" } ?? "") }
    if format != formatAfter { return "\(name(format, versionBefore)) -> \(name(formatAfter, versionAfter))" }
    if !hasChanged {
      let isCurrent = versionAfter == currentVersion
      return "\(name(format, versionBefore)): \(isCurrent ? "up to date, " : "")only the layout changed"
    }
    guard let versionBefore, let versionAfter else { return format }
    let said = isVersionDeclared ? "" : " (not declared)"
    return versionBefore == versionAfter
      ? "\(format), version \(versionAfter)\(said)" : "\(format), version \(versionBefore)\(said) -> \(versionAfter)"
  }
}

extension MigrationReport.Step {
  fileprivate func records(_ count: Int) -> String {
    guard pointer.pointerTokens?.contains("*") == true else { return "" }
    return ", in " + count.counted("record")
  }
}
