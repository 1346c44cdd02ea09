import Coffer
import Findings
import JSONEvents
public import Reports
import Rules

extension JSONReport {
  /// Returns a report on an import or its preview, with a final newline.
  ///
  ///     {"formatVersion": 1, "file": "export.json", "database": "backup.db", "format": "ev-charging-tracker", "version": 9,
  ///       "createdAt": "2026-06-28T20:15:00Z", "mode": "merge", "preview": false, "new": false,
  ///       "collections": [{"pointer": "/expenses", "title": "expenses", "count": 2000, "inserted": 12, "replaced": 1, "kept": 0,
  ///           "unchanged": 1987, "untouched": 0, "removed": 0}],
  ///       "members": {"changed": 1, "removed": 0}, "files": {"added": 0, "replaced": 0, "kept": 2, "removed": 0},
  ///       "safetyCopy": "backup.db.before-import-20261122T101500Z.sqlite", "migratedFrom": 7,
  ///       "findings": {"error": 0, "warning": 2, "note": 0}}
  ///
  /// `createdAt`, `version`, `files`, `safetyCopy` and `migratedFrom` occur only if they have values.
  public func text(of report: DatabaseImportReport) -> String {
    let rows = report.rows
    return document { json in
      json.member("file", report.file)
      json.member("database", report.database)
      json.member("format", rows.format)
      if let version = rows.version { json.member("version", version) }
      if let createdAt = rows.createdAt { json.member("createdAt", createdAt.description) }
      json.member("mode", report.mode.rawValue)
      json.key("preview")
      json.boolean(report.isPreview)
      json.key("new")
      json.boolean(report.isNew)
      json.key("collections")
      json.beginArray()
      for collection in rows.changes.collections { write(collection, to: &json) }
      json.endArray()
      json.key("members")
      json.beginObject()
      json.member("changed", rows.changes.changedMembers)
      json.member("removed", rows.changes.removedMembers)
      json.endObject()
      if let files = report.files {
        json.key("files")
        json.beginObject()
        json.member("added", files.added)
        json.member("replaced", files.replaced)
        json.member("kept", files.kept)
        json.member("removed", files.removed)
        json.endObject()
      }
      if let copy = report.safetyCopy { json.member("safetyCopy", copy) }
      if let before = rows.migration?.versionBefore { json.member("migratedFrom", before) }
      if !report.danglingReferences.isEmpty {
        json.key("danglingReferences")
        json.beginArray()
        for reference in report.danglingReferences { json.string(reference.description) }
        json.endArray()
      }
      json.key("findings")
      json.beginObject()
      json.member("error", rows.validation.counts.count(.error))
      json.member("warning", rows.validation.counts.count(.warning))
      json.member("note", rows.validation.counts.count(.note))
      json.endObject()
    }
  }

  private func write(_ collection: CollectionChanges, to json: inout JSONEventWriter) {
    json.beginObject()
    json.member("pointer", collection.pointer)
    json.member("title", collection.title)
    json.member("count", collection.count)
    json.member("inserted", collection.inserted)
    json.member("replaced", collection.replaced)
    json.member("kept", collection.kept)
    json.member("unchanged", collection.unchanged)
    json.member("untouched", collection.untouched)
    json.member("removed", collection.removed)
    json.endObject()
  }

  /// Returns a report on an export, with a final newline.
  ///
  ///     {"formatVersion": 1, "database": "backup.db", "file": "export.json", "format": "ev-charging-tracker", "version": 9,
  ///       "records": 2003, "collections": [{"title": "cars", "count": 3}, {"title": "expenses", "count": 2000}]}
  public func text(of report: DatabaseExportReport, writtenTo output: String) -> String {
    document { json in
      json.member("database", report.database)
      json.member("file", output)
      json.member("format", report.format)
      if let version = report.version { json.member("version", version) }
      json.member("records", report.records)
      json.key("collections")
      json.beginArray()
      for collection in report.collections {
        json.beginObject()
        json.member("title", collection.title)
        json.member("count", collection.count)
        json.endObject()
      }
      json.endArray()
    }
  }
}
