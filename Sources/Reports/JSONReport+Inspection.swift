public import BackupFormats
import Findings
import JSONEvents
import Rules

extension JSONReport {
  /// Returns inspections as JSON, with a trailing newline. Every member is present; unknown values are `null`.
  ///
  ///     {"formatVersion": 1, "files": [{"file": "a.json", "format": "ev-charging-tracker", "title": …, "dialect": null,
  ///       "reasons": [], "candidates": [], "version": {"found": "9", "number": 9, "oldestKnown": 5, "current": 9},
  ///       "import": {"possible": true, "reason": "older", "migration": {"format": null, "version": 9}},
  ///       "createdAt": {"text": …, "instant": "2026-06-28T20:15:00Z"}, "app": "1.4.0", "device": …, "container": "json",
  ///       "compression": null, "size": {"stored": 1048576, "document": 1048576}, "root": "object",
  ///       "collections": [{"pointer": "/expenses", "title": "expenses", "known": true, "present": true, "count": 4711,
  ///                        "kinds": ["object"], "date": "date", "earliest": …, "latest": …, "undated": 0,
  ///                        "nested": [{"name": …, "count": 7}], "bytes": 1040000,
  ///                        "unknownFields": {"fields": [{"name": "colour", "count": 3}], "others": 0}}],
  ///       "members": [{"name": "metadata", "kind": "object", "count": 4, "unknownFields": …}], "furtherMembers": 0,
  ///       "unknownFields": …,
  ///       "settings": true, "attachments": {"count": 12, "bytes": 34000, "missing": 1, "missingNames": ["photos/1.jpg"]},
  ///       "warnings": [{"code": "older-version", "message": …, "pointer": …}], "error": null}]}
  ///
  /// `candidates` are the fitting formats if there are several, or the nearest ones if there are none, each with its `reasons`
  /// and what is `missing`. `import.reason` is an `Inspection.Importability`. Bytes are exact; points in time are RFC 3339 in
  /// UTC.
  public func text(of inspections: [Inspection]) -> String {
    text { writer in
      for inspection in inspections { write(inspection, to: &writer) }
    }
  }

  private func write(_ inspection: Inspection, to writer: inout JSONEventWriter) {
    writer.beginObject()
    writer.member("file", inspection.file)
    write(inspection.format, to: &writer)
    writer.key("version")
    if let version = inspection.version { write(version, to: &writer) } else { writer.null() }
    writer.key("import")
    writer.beginObject()
    writer.key("possible")
    writer.boolean(inspection.importability.isPossible)
    writer.member("reason", inspection.importability.rawValue)
    writer.key("migration")
    if let migration = inspection.migration {
      writer.beginObject()
      writer.optionalMember("format", migration.format)
      writer.optionalMember("version", migration.version)
      writer.endObject()
    } else {
      writer.null()
    }
    writer.endObject()
    writer.key("createdAt")
    if let moment = inspection.createdAt {
      writer.beginObject()
      writer.member("text", moment.text)
      writer.optionalMember("instant", moment.instant?.description)
      writer.endObject()
    } else {
      writer.null()
    }
    writer.optionalMember("app", inspection.app)
    writer.optionalMember("device", inspection.device)
    writer.member("container", inspection.container.rawValue)
    writer.optionalMember("compression", inspection.compression?.rawValue)
    writer.key("size")
    writer.beginObject()
    writer.optionalMember("stored", inspection.storedBytes)
    writer.member("document", inspection.documentBytes)
    writer.endObject()
    writer.optionalMember("root", inspection.root?.rawValue)
    writer.array("collections", of: inspection.collections) { write($0, to: &$1) }
    writer.array("members", of: inspection.members) { write($0, to: &$1) }
    writer.member("furtherMembers", inspection.furtherMembers)
    write(inspection.unknownFields, to: &writer)
    writer.key("settings")
    if let hasSettings = inspection.hasSettings { writer.boolean(hasSettings) } else { writer.null() }
    writer.key("attachments")
    if let attachments = inspection.attachments { write(attachments, to: &writer) } else { writer.null() }
    writer.array("warnings", of: inspection.warnings) { warning, writer in
      writer.beginObject()
      writer.member("code", warning.code)
      writer.member("message", warning.message)
      writer.optionalMember("pointer", warning.pointer)
      writer.endObject()
    }
    writer.key("error")
    if let error = inspection.error { write(error, to: &writer) } else { writer.null() }
    writer.endObject()
  }

  private func write(_ format: Inspection.FormatIdentity, to writer: inout JSONEventWriter) {
    var (name, title, dialect, reasons, candidates): (String?, String?, String?, [String], [FormatCandidate]) = (
      nil, nil, nil, [], []
    )
    switch format {
    case .known(let known, let itsTitle, let itsDialect, let itsReasons):
      (name, title, dialect, reasons) = (known, itsTitle, itsDialect, itsReasons)
    case .rules(let rules): name = rules
    case .unknown(let nearest): candidates = nearest
    case .ambiguous(let fitting): candidates = fitting
    }
    writer.optionalMember("format", name)
    writer.optionalMember("title", title)
    writer.optionalMember("dialect", dialect)
    writer.array("reasons", of: reasons) { $1.string($0) }
    writer.array("candidates", of: candidates) { write($0, to: &$1) }
  }

  private func write(_ version: Inspection.Version, to writer: inout JSONEventWriter) {
    writer.beginObject()
    writer.optionalMember("found", version.found)
    writer.optionalMember("number", version.number)
    writer.member("oldestKnown", version.oldestKnown)
    writer.member("current", version.current)
    writer.endObject()
  }

  private func write(_ collection: Inspection.Collection, to writer: inout JSONEventWriter) {
    writer.beginObject()
    writer.member("pointer", collection.pointer)
    writer.member("title", collection.title)
    writer.key("known")
    writer.boolean(collection.isKnown)
    writer.key("present")
    writer.boolean(collection.isPresent)
    writer.member("count", collection.count)
    writer.array("kinds", of: collection.kinds) { $1.string($0.rawValue) }
    writer.optionalMember("date", collection.date)
    writer.optionalMember("earliest", collection.earliest?.description)
    writer.optionalMember("latest", collection.latest?.description)
    writer.member("undated", collection.undated)
    writer.array("nested", of: collection.nested) { nested, writer in
      writer.beginObject()
      writer.member("name", nested.name)
      writer.member("count", nested.count)
      writer.endObject()
    }
    writer.optionalMember("bytes", collection.bytes)
    write(collection.unknownFields, to: &writer)
    writer.endObject()
  }

  private func write(_ member: Inspection.Member, to writer: inout JSONEventWriter) {
    writer.beginObject()
    writer.member("name", member.name)
    writer.member("kind", member.kind.rawValue)
    writer.optionalMember("count", member.count)
    write(member.unknownFields, to: &writer)
    writer.endObject()
  }

  private func write(_ unknown: Inspection.UnknownFields, to writer: inout JSONEventWriter) {
    writer.key("unknownFields")
    writer.beginObject()
    writer.array("fields", of: unknown.fields) { field, writer in
      writer.beginObject()
      writer.member("name", field.name)
      writer.member("count", field.count)
      writer.endObject()
    }
    writer.member("others", unknown.others)
    writer.endObject()
  }

  private func write(_ attachments: Inspection.Attachments, to writer: inout JSONEventWriter) {
    writer.beginObject()
    writer.member("count", attachments.count)
    writer.member("bytes", attachments.bytes)
    writer.member("missing", attachments.missing)
    writer.array("missingNames", of: attachments.missingNames) { $1.string($0) }
    writer.endObject()
  }
}

extension JSONEventWriter {
  fileprivate mutating func optionalMember(_ name: StaticString, _ text: String?) {
    key(name)
    if let text { string(text) } else { null() }
  }

  fileprivate mutating func optionalMember(_ name: StaticString, _ number: Int?) {
    key(name)
    if let number { integer(Int64(number)) } else { null() }
  }

  fileprivate mutating func array<Item>(
    _ name: StaticString, of items: [Item], _ write: (Item, inout JSONEventWriter) -> Void
  ) {
    key(name)
    beginArray()
    for item in items { write(item, &self) }
    endArray()
  }
}
