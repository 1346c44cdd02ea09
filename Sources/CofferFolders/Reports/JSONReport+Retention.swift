import ByteStreams
import Findings
import JSONEvents
public import Reports
public import Rules

extension JSONReport {
  /// Returns a report on a plan and its outcome, with a final newline.
  ///
  ///     {"formatVersion": 1, "folder": "backups", "dryRun": false,
  ///       "keep": [{"name": …, "reasons": [{"code": "newest", "words": "1 of the 5 newest"}], …}],
  ///       "remove": [{"name": …, "reasons": [{"code": "too-old", "words": "older than 30d"}], "removed": true,
  ///           "failure": null, …}],
  ///       "others": […], "unnamed": 0, "interrupted": false, "syncError": null}
  ///
  /// Each backup also has all members that a listing gives it. The codes are those of `RetentionPlan.KeepReason` and
  /// `RetentionPlan.RemovalReason`.
  ///
  /// - Parameters:
  ///   - plan: the plan for the backups of a folder.
  ///   - listing: the folder's listing.
  ///   - outcome: the outcome; `nil` for a dry run.
  ///   - now: the current time, for the backups' age.
  public func text(of plan: RetentionPlan, for listing: FolderListing, _ outcome: PruneOutcome?, now: Instant) -> String {
    let removed = Set(outcome?.removed.map(\.name) ?? [])
    let failures = Dictionary((outcome?.failures ?? []).map { ($0.backup.name, $0.error) }) { first, _ in first }
    return document { json in
      json.member("folder", listing.folder)
      json.key("dryRun")
      json.boolean(outcome == nil)
      json.key("keep")
      json.beginArray()
      for kept in plan.keep {
        json.beginObject()
        writeMembers(of: kept.backup, now, to: &json)
        write(kept.reasons.map { ($0.code, $0.words) }, to: &json)
        json.endObject()
      }
      json.endArray()
      json.key("remove")
      json.beginArray()
      for gone in plan.remove {
        json.beginObject()
        writeMembers(of: gone.backup, now, to: &json)
        write(gone.reasons.map { ($0.code, $0.words) }, to: &json)
        json.key("removed")
        json.boolean(removed.contains(gone.backup.name))
        json.key("failure")
        write(failures[gone.backup.name], to: &json)
        json.endObject()
      }
      json.endArray()
      writeOthers(of: listing, to: &json)
      json.key("interrupted")
      json.boolean(outcome?.isInterrupted ?? false)
      json.key("syncError")
      write(outcome?.syncError, to: &json)
    }
  }

  private func write(_ reasons: [(code: String, words: String)], to json: inout JSONEventWriter) {
    json.key("reasons")
    json.beginArray()
    for reason in reasons {
      json.beginObject()
      json.member("code", reason.code)
      json.member("words", reason.words)
      json.endObject()
    }
    json.endArray()
  }

  private func write(_ error: CofferError?, to json: inout JSONEventWriter) {
    guard let error else { return json.null() }
    json.beginObject()
    json.member("code", error.code.rawValue)
    json.member("message", error.message)
    json.endObject()
  }
}
