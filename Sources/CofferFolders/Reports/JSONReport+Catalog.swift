import ByteStreams
import Findings
import JSONEvents
public import Reports
public import Rules

extension JSONReport {
  /// Returns a report on a folder of backups, newest first, with a final newline.
  ///
  ///     {"formatVersion": 1, "folder": "backups",
  ///       "backups": [{"name": "swiff_backup_2026-02-01_09-30-00.json", "format": "swiff", "version": 1,
  ///         "created": "2026-02-01T09:30:00Z", "createdBy": "document", "age": 86400, "size": 4711,
  ///         "app": "3.0", "device": null,
  ///         "collections": [{"pointer": "/people", "title": "people", "count": 2}],
  ///         "state": "valid", "errors": 0, "finding": null, "error": null}],
  ///       "others": [{"name": "notes.txt", "kind": "file"}], "unnamed": 0}
  ///
  /// `createdBy` is `document`, `name` or `file`; `age` is in seconds; `state` is a `ListedBackup.Validity.code`;
  /// `finding` is the first finding of severity error; `error` is the error that ended reading the file, for others too;
  /// `kind` is a `FolderListing.Other.Kind`.
  ///
  /// - Parameter now: the current time, for the backups' age.
  public func text(of listing: FolderListing, now: Instant) -> String {
    document { json in
      json.member("folder", listing.folder)
      json.key("backups")
      json.beginArray()
      for backup in listing.backups {
        json.beginObject()
        writeMembers(of: backup, now, to: &json)
        json.endObject()
      }
      json.endArray()
      writeOthers(of: listing, to: &json)
    }
  }

  func writeMembers(of backup: ListedBackup, _ now: Instant, to json: inout JSONEventWriter) {
    json.member("name", backup.name)
    json.member("format", backup.format)
    json.key("version")
    if let version = backup.version { json.integer(Int64(version)) } else { json.null() }
    json.member("created", backup.created.instant.description)
    json.member("createdBy", backup.created.source.rawValue)
    let (age, isOver) = now.seconds.subtractingReportingOverflow(backup.created.instant.seconds)
    json.key("age")
    if isOver { json.null() } else { json.integer(age) }
    json.member("size", backup.size)
    for (name, text) in [("app", backup.app), ("device", backup.device)] as [(StaticString, String?)] {
      json.key(name)
      if let text { json.string(text) } else { json.null() }
    }
    json.key("collections")
    json.beginArray()
    for count in backup.counts {
      json.beginObject()
      json.member("pointer", count.pointer)
      json.member("title", count.title)
      json.member("count", count.count)
      json.endObject()
    }
    json.endArray()
    write(backup.validity, to: &json)
  }

  private func write(_ validity: ListedBackup.Validity, to json: inout JSONEventWriter) {
    var (errors, finding, error) = (0, Finding?.none, CofferError?.none)
    switch validity {
    case .valid, .newer: break
    case .invalid(let count, let first): (errors, finding) = (count, first)
    case .damaged(let cause), .unreadable(let cause): error = cause
    }
    json.member("state", validity.code)
    json.member("errors", errors)
    json.key("finding")
    if let finding {
      json.beginObject()
      json.member("code", finding.code)
      json.member("message", finding.message)
      if let entry = finding.place.entry { json.member("entry", entry) }
      json.member("pointer", finding.place.pointer)
      json.member("line", finding.place.line)
      json.member("column", finding.place.column)
      json.member("offset", finding.place.offset)
      json.endObject()
    } else {
      json.null()
    }
    json.key("error")
    if let error { write(error, to: &json) } else { json.null() }
  }

  func writeOthers(of listing: FolderListing, to json: inout JSONEventWriter) {
    json.key("others")
    json.beginArray()
    for other in listing.others {
      json.beginObject()
      json.member("name", other.name)
      json.member("kind", other.kind.rawValue)
      if let error = other.error {
        json.key("error")
        write(error, to: &json)
      }
      json.endObject()
    }
    json.endArray()
    json.member("unnamed", listing.unnamedCount)
  }
}
