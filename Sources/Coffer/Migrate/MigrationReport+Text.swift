import ByteStreams
import Findings
import JSONEvents

extension MigrationReport {
  /// Returns the report as text, with a line per step that found something. Each line ends with a line break.
  ///
  ///     export.json: ev-charging-tracker, version 5 -> 9
  ///       /documents: [] filled in
  ///       /cars/*/carType: "electric" filled in, in 3 records
  public func text(named name: String) -> String {
    var text = "\(name.printable): \(heading.printable)\n"
    for step in steps where step.changed > 0 || step.skipped > 0 {
      text += "  \(step.pointer.printable): "
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

  private var heading: String {
    guard endsEarly, let versionAfter, let currentVersion else { return result }
    return "\(result), as far as migrations lead: \(versionAfter) of \(currentVersion)"
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

  /// Returns the report as one JSON document that ends with a line break. Later versions only add members.
  public func json(named name: String) -> String {
    JSONEventWriter.report { json in
      json.key("file")
      json.string(name)
      json.key("changed")
      json.boolean(hasChanged)
      json.key("endsEarly")
      json.boolean(endsEarly)
      for (key, format, version) in [("from", self.format, versionBefore), ("to", formatAfter, versionAfter)] {
        json.key(key)
        json.beginObject()
        json.key("format")
        json.string(format)
        json.key("version")
        if let version { json.integer(Int64(version)) } else { json.null() }
        if key == "to" {
          json.key("current")
          if let currentVersion { json.integer(Int64(currentVersion)) } else { json.null() }
        }
        json.endObject()
      }
      json.key("steps")
      json.beginArray()
      for step in steps { step.write(to: &json) }
      json.endArray()
    }
  }
}

extension MigrationReport.Step {
  fileprivate func records(_ count: Int) -> String {
    guard pointer.pointerTokens?.contains("*") == true else { return "" }
    return count == 1 ? ", in 1 record" : ", in \(count) records"
  }

  fileprivate func write(to json: inout JSONEventWriter) {
    json.beginObject()
    for (key, text) in [("step", name), ("at", pointer), ("summary", summary)] {
      json.key(key)
      json.string(text)
    }
    if let version {
      json.key("version")
      json.integer(Int64(version))
    }
    if let title {
      json.key("title")
      json.string(title)
    }
    for (key, count) in [("changed", changed), ("skipped", skipped), ("cut", cut)] {
      json.key(key)
      json.integer(Int64(count))
    }
    json.endObject()
  }
}
