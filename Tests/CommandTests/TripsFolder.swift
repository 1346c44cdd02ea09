import TestSupport

/// A small format and two backups of it.
struct TripsFolder {
  let folder: TemporaryFolder
  /// The option that names the format.
  static let rules = ["--rules", "trips-format.json"]

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      {"title": "Trips", "backup": {"name": "trips", "detect": "/trips", "createdAt": "/made",
        "version": {"pointer": "/version", "current": 2, "oldest": 1, "ifAbsent": 2},
        "migrations": [{"to": 2, "title": "units", "steps": [{"default": "/unit", "value": "km"}]}],
        "collections": {"/trips": {"key": "id"}}},
       "type": "object",
       "properties": {
         "version": {"type": "integer"}, "made": {"type": "string", "format": "date-time"}, "unit": {"type": "string"},
         "trips": {"type": "array", "primaryKey": "id",
           "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}, "km": {"type": "number", "minimum": 0}}}}}}
      """, to: "trips-format.json")
    try folder.write(#"{"made":"2026-01-01T00:00:00Z","trips":[{"id":1,"km":1.50},{"id":2,"km":7}],"unit":"km"}"#, to: "a.json")
    try folder.write(#"{"made":"2026-02-01T00:00:00Z","trips":[{"id":2,"km":8},{"id":3,"km":9}],"unit":"mi"}"#, to: "b.json")
  }

  func run(_ arguments: String..., input: String = "") async throws -> Command {
    try await Command(arguments + Self.rules, input: input, in: folder)
  }
}
