public import BackupFormats
import JSONEvents

extension JSONReport {
  /// Returns the result of a merge as JSON, with a trailing newline.
  ///
  ///     {"formatVersion": 1, "collections": [{"pointer": "/expenses", "title": "expenses", "count": 1203,
  ///         "inserted": 3, "replaced": 1, "kept": 0, "same": 1197, "untouched": 2}],
  ///       "document": {"inserted": 0, "replaced": 1, "kept": 0, "same": 3, "untouched": 0}, "chosenByCreation": ["settings"]}
  ///
  /// The counts are those of `MergedCollection`; `document` counts the members of the envelope.
  public func text(of report: MergeReport) -> String {
    document { json in
      json.key("collections")
      json.beginArray()
      for collection in report.collections {
        json.beginObject()
        json.member("pointer", collection.pointer)
        json.member("title", collection.title)
        json.member("count", collection.count)
        write(collection, to: &json)
        json.endObject()
      }
      json.endArray()
      json.key("document")
      json.beginObject()
      write(report.envelope, to: &json)
      json.endObject()
      json.key("chosenByCreation")
      json.beginArray()
      for title in report.chosenByCreation { json.string(title) }
      json.endArray()
    }
  }

  private func write(_ collection: MergedCollection, to json: inout JSONEventWriter) {
    json.member("inserted", collection.inserted)
    json.member("replaced", collection.replaced)
    json.member("kept", collection.kept)
    json.member("same", collection.same)
    json.member("untouched", collection.untouched)
  }
}
