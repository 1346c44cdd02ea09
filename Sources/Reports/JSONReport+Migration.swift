public import BackupFormats
import JSONEvents

extension JSONReport {
  /// Returns the report as one JSON document that ends with a line break. Later versions only add members.
  public func text(of report: MigrationReport, named name: String) -> String {
    document { json in
      json.key("file")
      json.string(name)
      json.key("changed")
      json.boolean(report.hasChanged)
      json.key("endsEarly")
      json.boolean(report.endsEarly)
      for (key, format, version) in [
        ("from", report.format, report.versionBefore), ("to", report.formatAfter, report.versionAfter),
      ] {
        json.key(key)
        json.beginObject()
        json.key("format")
        json.string(format)
        json.key("version")
        if let version { json.integer(Int64(version)) } else { json.null() }
        if key == "to" {
          json.key("current")
          if let currentVersion = report.currentVersion { json.integer(Int64(currentVersion)) } else { json.null() }
        }
        json.endObject()
      }
      json.key("steps")
      json.beginArray()
      for step in report.steps { step.write(to: &json) }
      json.endArray()
    }
  }
}

extension MigrationReport.Step {
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
