public import BackupFormats
import ByteStreams
import JSONEvents

extension JSONReport {
  /// Returns the difference between two backups as JSON, with a trailing newline.
  ///
  ///     {"formatVersion": 1, "same": false, "format": "ev-charging-tracker",
  ///       "old": {"file": "monday.json", "version": 9, "bytes": 1048576}, "new": {…},
  ///       "collections": [{"pointer": "/expenses", "title": "expenses", "key": ["id"],
  ///         "same": 1197, "changed": 1, "removed": 1, "added": 1, "duplicates": 0, "notShown": 0,
  ///         "changes": [{"kind": "changed", "key": "12", "old": {"pointer": "/expenses/11", "offset": 2048}, "new": {…},
  ///                      "fields": [{"pointer": "/amount", "old": "12.50", "new": "12.75"}], "fieldsNotShown": 0}]}],
  ///       "document": {"same": 3, "changed": 1, …}}
  ///
  /// A field's `old` and `new` are strings that contain JSON, so that numbers keep their digits, or null if the field is missing.
  /// `fieldsNotShown` is null if the record is too large to compare by field.
  public func text(of difference: BackupDifference) -> String {
    document { json in
      json.key("same")
      json.boolean(difference.isSame)
      json.key("format")
      write(difference.format, to: &json)
      json.key("old")
      write(difference.old, to: &json)
      json.key("new")
      write(difference.new, to: &json)
      json.key("collections")
      json.beginArray()
      for collection in difference.collections { write(collection, isEnvelope: false, to: &json) }
      json.endArray()
      json.key("document")
      write(difference.envelope, isEnvelope: true, to: &json)
    }
  }

  private func write(_ document: BackupDifference.Document, to json: inout JSONEventWriter) {
    json.beginObject()
    json.member("file", document.name)
    json.key("version")
    if let version = document.version {
      if let number = Int64(version) { json.integer(number) } else { json.string(version) }
    } else {
      json.null()
    }
    json.member("bytes", document.bytes)
    json.endObject()
  }

  private func write(_ collection: CollectionDifference, isEnvelope: Bool, to json: inout JSONEventWriter) {
    json.beginObject()
    if !isEnvelope {
      json.member("pointer", collection.pointer)
      json.member("title", collection.title)
      json.key("key")
      json.beginArray()
      for field in collection.key { json.string(field) }
      json.endArray()
    }
    json.member("same", collection.same)
    json.member("changed", collection.changed)
    json.member("removed", collection.removed)
    json.member("added", collection.added)
    json.member("duplicates", collection.duplicates)
    json.member("notShown", collection.notShown)
    json.key("changes")
    json.beginArray()
    for change in collection.changes { write(change, to: &json) }
    json.endArray()
    json.endObject()
  }

  private func write(_ change: RecordChange, to json: inout JSONEventWriter) {
    json.beginObject()
    json.member("kind", change.kind.rawValue)
    json.member("key", change.key)
    json.key("old")
    write(change.old, to: &json)
    json.key("new")
    write(change.new, to: &json)
    json.key("fields")
    json.beginArray()
    for field in change.fields {
      json.beginObject()
      json.member("pointer", field.pointer)
      json.key("old")
      write(field.old, to: &json)
      json.key("new")
      write(field.new, to: &json)
      json.endObject()
    }
    json.endArray()
    json.key("fieldsNotShown")
    if let count = change.fieldsNotShown { json.integer(Int64(count)) } else { json.null() }
    json.endObject()
  }

  private func write(_ place: RecordChange.Place?, to json: inout JSONEventWriter) {
    guard let place else { return json.null() }
    json.beginObject()
    json.member("pointer", place.pointer)
    json.member("offset", place.offset)
    json.endObject()
  }

  private func write(_ text: String?, to json: inout JSONEventWriter) {
    if let text { json.string(text) } else { json.null() }
  }
}
