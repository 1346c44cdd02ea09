import Coffer
import TestSupport

/// Helpers that return an inspection, and a descriptor that uses every feature.
enum Inspecting {
  static let now = Instant(seconds: 1_782_900_000)  // 2026-07-01

  static let descriptor = #"""
    {"$schema": "urn:coffer:rules:1", "title": "Garage, the app",
     "backup": {
       "name": "garage", "detect": "/cars", "version": {"pointer": "/meta/version", "current": 4, "oldest": 2},
       "createdAt": "/meta/at", "app": "/meta/app", "device": "/meta/device", "settings": "/settings",
       "collections": {"/trips": {"title": "journeys", "date": "start"}}},
     "type": "object", "required": ["meta", "cars", "trips"],
     "properties": {
       "meta": {
         "properties": {
           "version": {"type": "integer"}, "at": {"format": "unix-time-ms"}, "app": {}, "device": {},
           "carCount": {"countOf": "/cars"}},
         "additionalProperties": false},
       "cars": {"type": "array", "items": {
         "properties": {
           "id": {"type": "integer"}, "boughtOn": {"type": "string", "format": "date-time"},
           "parts": {"type": "array", "items": {"properties": {"name": {}}}}, "tags": {"type": "array"}},
         "patternProperties": {"^x-": {}},
         "required": ["boughtOn"], "additionalProperties": {"not": {}, "severity": "note", "code": "unknown-field"}}},
       "trips": {"type": ["array", "null"], "items": {"properties": {
         "start": {"type": "number", "format": "apple-reference-time"}, "end": {"format": "apple-reference-time"}}}},
       "notes": {"items": {}},
       "settings": {"type": "object"}},
     "additionalProperties": {"not": {}, "severity": "note"}}
    """#

  static func inspection(
    of bytes: [UInt8], named name: String = "test.json", rules: ValidationRules? = nil, chunkSize: Int = .max,
    _ change: (inout InspectionOptions) -> Void = { _ in }
  ) throws -> Inspection {
    var options = InspectionOptions(now: now)
    options.execution.jobs = 1
    change(&options)
    let rules = try rules ?? .format(BackupFormat(descriptor: descriptor))
    return try Inspector(rules, options: options).inspect(MemorySource(bytes, chunkSize: chunkSize), named: name)
  }

  static func inspection(of text: String, _ change: (inout InspectionOptions) -> Void = { _ in }) throws -> Inspection {
    try inspection(of: Array(text.utf8), change)
  }
}
