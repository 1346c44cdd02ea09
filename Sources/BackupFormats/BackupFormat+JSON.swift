import Findings
import JSONEvents
import Rules

extension BackupFormat {
  /// Returns the contents and checks of formats as one JSON document, for programs. Later versions only add members.
  ///
  ///     {"formatVersion": 1, "formats": [{"name": "my-app", "title": …, "dialects": […],
  ///       "version": {"pointer": "/version", "current": 4, "oldest": 2},
  ///       "fileName": {"pattern": …, "template": …, "holds": …}, "retention": [{"of": …, "count": 5, "days": 30, "by": …}],
  ///       "fields": [{"path": "version", "types": ["integer"], "required": true,
  ///                   "checks": [{"severity": "error", "words": …}]}],
  ///       "collections": [{"pointer": "/cars", "title": "cars", "key": ["id"], "date": "boughtAt", "fields": […],
  ///                        "checks": […], "keys": […], "references": […]}]}]}
  public static func json(_ formats: [BackupFormat]) -> String {
    JSONEventWriter.report { writer in
      writer.key("formats")
      writer.beginArray()
      for format in formats { format.write(to: &writer) }
      writer.endArray()
    }
  }

  private func write(to writer: inout JSONEventWriter) {
    writer.beginObject()
    writer.member("name", name)
    writer.member("title", title)
    writer.member("description", summary)
    if let version {
      writer.key("version")
      writer.beginObject()
      writer.member("pointer", version.pointer)
      writer.key("current")
      writer.integer(Int64(version.current))
      writer.key("oldest")
      writer.integer(Int64(version.oldest))
      for container in Container.allCases {
        guard let absent = version.ifAbsent[container] else { continue }
        writer.key(container == .zip ? "ifAbsentInZIP" : "ifAbsent")
        writer.integer(Int64(absent))
      }
      writer.endObject()
    }
    writer.member("createdAt", origin.createdAt)
    writer.member("app", origin.app)
    writer.member("device", origin.device)
    writer.list("dialects", dialects.map(\.name))
    writer.member("recognised", detection?.words)
    if let fileName {
      writer.key("fileName")
      writer.beginObject()
      writer.member("pattern", fileName.pattern)
      writer.member("template", fileName.template)
      writer.member("holds", fileName.holds)
      writer.endObject()
    }
    write(retention, to: &writer)
    write(rules.rootFields, to: &writer)
    write(rules.rootChecks, to: &writer)
    writer.key("collections")
    writer.beginArray()
    for collection in collections { write(collection, to: &writer) }
    writer.endArray()
    writer.endObject()
  }

  private func write(_ retention: [BackupRetention], to writer: inout JSONEventWriter) {
    writer.key("retention")
    writer.beginArray()
    for kept in retention {
      writer.beginObject()
      writer.member("of", kept.of)
      for (name, limit) in [("count", kept.count), ("days", kept.days)] as [(StaticString, Int?)] {
        guard let limit else { continue }
        writer.key(name)
        writer.integer(Int64(limit))
      }
      writer.member("by", kept.by)
      writer.endObject()
    }
    writer.endArray()
  }

  private func write(_ collection: Collection, to writer: inout JSONEventWriter) {
    let record = rules.recordFields(of: collection.rules)
    writer.beginObject()
    writer.member("pointer", collection.pointer)
    writer.member("title", collection.title)
    writer.list("key", collection.key.map(\.fieldText))
    writer.member("date", collection.date)
    writer.member("modified", collection.modified)
    write(record.fields, to: &writer)
    write(record.checks, to: &writer)
    writer.list("keys", collection.keyWords)
    writer.list("references", collection.referenceWords)
    writer.endObject()
  }

  private func write(_ fields: [RuleDocument.Field], to writer: inout JSONEventWriter) {
    writer.key("fields")
    writer.beginArray()
    for field in fields {
      writer.beginObject()
      writer.member("path", field.path)
      if let types = field.types { writer.list("types", TypeSet.names.filter { types.contains($0.type) }.map(\.name)) }
      writer.key("required")
      writer.boolean(field.missing == .error)
      write(field.checks, to: &writer)
      writer.endObject()
    }
    writer.endArray()
  }

  private func write(_ checks: [RuleDocument.Check], to writer: inout JSONEventWriter) {
    writer.key("checks")
    writer.beginArray()
    for check in checks {
      writer.beginObject()
      writer.member("severity", check.severity.rawValue)
      writer.member("words", check.words)
      writer.endObject()
    }
    writer.endArray()
  }
}

extension JSONEventWriter {
  fileprivate mutating func member(_ name: StaticString, _ text: String?) {
    guard let text else { return }
    key(name)
    string(text)
  }

  fileprivate mutating func list(_ name: StaticString, _ texts: [String]) {
    key(name)
    beginArray()
    for text in texts { string(text) }
    endArray()
  }
}
