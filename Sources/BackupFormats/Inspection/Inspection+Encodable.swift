import ByteStreams
import Findings
import Rules

/// The inspection of one document in a report. Every member is present; unknown values are `null`.
///
///     {"file": "a.json", "format": "ev-charging-tracker", "title": …, "dialect": null,
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
///       "warnings": [{"code": "older-version", "message": …, "pointer": …}], "error": null}
///
/// `candidates` are the fitting formats if there are several, or the nearest ones if there are none, each with its `reasons`
/// and what is `missing`. `import.reason` is an `Inspection.Importability`. Bytes are exact; points in time are RFC 3339 in
/// UTC.
extension Inspection: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["file": file])
    try format.encode(to: encoder)
    try encoder.encode([
      "version": version,
      "import": [
        "possible": importability.isPossible, "reason": importability.rawValue, "migration": migration,
      ] as ReportMembers,
      "createdAt": createdAt, "app": app, "device": device, "container": container.rawValue,
      "compression": compression?.rawValue, "size": ["stored": storedBytes, "document": documentBytes] as ReportMembers,
      "root": root, "collections": collections, "members": members, "furtherMembers": furtherMembers,
      "unknownFields": unknownFields, "settings": hasSettings, "attachments": attachments, "warnings": warnings, "error": error,
    ])
  }
}

extension Inspection.FormatIdentity: Encodable {
  public func encode(to encoder: any Encoder) throws {
    let (name, title, dialect, reasons, candidates): (String?, String?, String?, [String], [FormatCandidate]) =
      switch self {
      case .known(let name, let title, let dialect, let reasons): (name, title, dialect, reasons, [])
      case .rules(let name): (name, nil, nil, [], [])
      case .unknown(let candidates), .ambiguous(let candidates): (nil, nil, nil, [], candidates)
      }
    try encoder.encode(["format": name, "title": title, "dialect": dialect, "reasons": reasons, "candidates": candidates])
  }
}

extension Inspection.Version: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["found": found, "number": number, "oldestKnown": oldestKnown, "current": current])
  }
}

extension Inspection.Migration: Encodable {
  public func encode(to encoder: any Encoder) throws { try encoder.encode(["format": format, "version": version]) }
}

extension Inspection.Moment: Encodable {
  public func encode(to encoder: any Encoder) throws { try encoder.encode(["text": text, "instant": instant]) }
}

extension Inspection.Collection: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "pointer": pointer, "title": title, "known": isKnown, "present": isPresent, "count": count, "kinds": kinds, "date": date,
      "earliest": earliest, "latest": latest, "undated": undated, "nested": nested, "bytes": bytes,
      "unknownFields": unknownFields,
    ])
  }
}

extension Inspection.Member: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["name": name, "kind": kind, "count": count, "unknownFields": unknownFields])
  }
}

extension Inspection.Warning: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["code": code, "message": message, "pointer": pointer])
  }
}
