import BackupFormats
import Coffer
import Foundation
import TestSupport
import Testing

/// Formats are detected by content, wherever it is, with reasons; Coffer never guesses between two formats.
@Suite struct FormatDetectionTests {
  static let examples = [
    ("aquavate", "aquavate"), ("ev-charging-tracker", "ev-charging-tracker"), ("ev-charging-tracker-v5", "ev-charging-tracker"),
    ("ev-charging-tracker-spec", "ev-charging-tracker-specification"), ("keeptrack", "keeptrack"),
    ("keeptrack-legacy-entrystore", "keeptrack-legacy-entries"), ("keeptrack-legacy-goalsstore", "keeptrack-legacy-goals"),
    ("keeptrack-legacy-intakeTypes", "keeptrack-legacy-intake-types"), ("smilepile", "smilepile"),
    ("smilepile-android", "smilepile"), ("smilepile-android-v1", "smilepile"),
    ("smilepile-spec-v1.backup_metadata", "smilepile-specification"), ("swiff", "swiff"),
  ]

  static func name(of bytes: [UInt8], container: BackupFormat.Container = .json) throws -> String {
    switch FormatCatalog.builtIn.detect(in: Array(bytes.prefix(FormatCatalog.prefixSize)), container: container) {
    case .format(let match): match.format.name
    case .unknown: "unknown"
    case .ambiguous(let matches): matches.map(\.format.name).sorted().joined(separator: " or ")
    }
  }

  @Test(arguments: examples)
  func `each example is detected as its format, in any order of members`(_ example: String, _ format: String) throws {
    let bytes = try FormatSheet.example(example)
    for container in BackupFormat.Container.allCases { #expect(try Self.name(of: bytes, container: container) == format) }
    // In any order of members, and of the records.
    for seed in TestDepth.cases(everyday: 3, deep: 8) {
      let shuffled = try Self.shuffled(JSONSerialization.jsonObject(with: Data(bytes)), seed: seed)
      #expect(try Self.name(of: Array(shuffled.utf8)) == format, "\(shuffled.prefix(300))")
    }
  }

  /// Each collection in turn is so large that nothing after it is read for detection.
  @Test(arguments: examples)
  func `a large collection is enough to detect the format`(_ example: String, _ format: String) throws {
    let document = try JSONSerialization.jsonObject(with: Data(try FormatSheet.example(example)))
    guard let object = document as? [String: Any] else { return }
    for (name, value) in object {
      guard let records = value as? [[String: Any]], let record = records.first else { continue }
      // Not every collection distinguishes the EV dialects.
      if example.hasPrefix("ev-"), name != "cars", name != "expenses" { continue }
      let array = try Self.text([record])
      let large = "{\"\(name)\":[" + Array(repeating: array.dropFirst().dropLast(), count: 3000).joined(separator: ",") + "]}"
      #expect(try Self.name(of: Array(large.utf8)) == format, "\(example) \(name)")
    }
  }

  @Test(arguments: examples)
  func `unknown members before the known ones do not hide the format`(_ example: String, _ format: String) throws {
    let document = String(decoding: try FormatSheet.example(example), as: UTF8.self)
    guard document.hasPrefix("{") else { return }
    let unknown = (0..<9000).map { #""o\#($0)":{"a":1}"# }.joined(separator: ",")
    #expect(try Self.name(of: Array((#"{"unknown":{\#(unknown)},"# + document.dropFirst()).utf8)) == format)
  }

  @Test(arguments: examples)
  func `a document with empty collections is still detected`(_ example: String, _ format: String) throws {
    let document = try JSONSerialization.jsonObject(with: Data(try FormatSheet.example(example)))
    guard let object = document as? [String: Any] else { return }
    let emptied = object.mapValues { $0 is [Any] ? [] : $0 }
    let name = try Self.name(of: Array(try Self.text(emptied).utf8))
    // Without records nothing distinguishes the dialects: the document is taken for the dialect that exists in files.
    #expect(name == (format == "ev-charging-tracker-specification" ? "ev-charging-tracker" : format))
  }

  @Test func `a mixture of two formats is ambiguous`() throws {
    let objects = try Self.examples.compactMap { example, format -> (String, [String: Any])? in
      let document = try JSONSerialization.jsonObject(with: Data(try FormatSheet.example(example)))
      return (document as? [String: Any]).map { (format, $0) }
    }
    for (first, one) in objects {
      for (second, other) in objects where first < second {
        // The variants of one app have collections of the same names: the records that win the merge decide.
        if first.prefix(4) == second.prefix(4) { continue }
        let mixture = one.merging(other) { old, _ in old }
        let name = try Self.name(of: Array(try Self.text(mixture).utf8))
        #expect(name.contains(first) && name.contains(" or "), "\(first) with \(second): \(name)")
      }
    }
  }

  @Test(arguments: [
    "", "{}", "[]", "[[], [[]]]", "null", "17", #""cars""#, "[{}]", #"{"version": 1}"#, #"{"entries": []}"#,
    #"{"categories": [], "photos": []}"#, #"[{"id": 1, "name": "x"}]"#, #"{"metadata": {"version": 1}}"#, "{", #"{"a": ]"#,
    #"{"cars": {"milleageSyncedAt": 1}}"#,
  ])
  func `a document that matches no format is unknown`(_ text: String) throws {
    #expect(try Self.name(of: Array(text.utf8)) == "unknown")
  }

  @Test func `a detected format lists the criteria that the document meets`() throws {
    let text = #"{"entries": [{"goalMet": true, "units": "ml"}]}"#
    guard case .format(let match) = FormatCatalog.builtIn.detect(in: Array(text.utf8)) else { throw Unexpected() }
    #expect(match.reasons == ["/entries/*/goalMet exists", "/entries/*/units exists"])
    #expect(match.missing == [])
    let spec = try Self.detection(of: try FormatSheet.example("ev-charging-tracker-spec"))
    guard case .format(let dialect) = spec else { throw Unexpected() }
    #expect(dialect.reasons.contains("every string at /cars/*/expenseCurrency matches ^[A-Z]{3}$"))
  }

  @Test func `the nearest formats list what the document lacks`() throws {
    let text = #"{"cars": [], "expenses": [], "version": 3}"#
    guard case .unknown(let nearest) = try Self.detection(of: Array(text.utf8)) else { throw Unexpected() }
    let candidate = try #require(nearest.first)
    #expect(candidate.format.name == "ev-charging-tracker")
    #expect(candidate.reasons == ["/cars exists", "/expenses exists"])
    #expect(candidate.missing == ["/metadata/databaseSchemaVersion is missing"])
  }

  @Test func `the container is a detection criterion`() throws {
    let format = try BackupFormat(
      descriptor: #"""
        {"backup": {"name": "x", "version": {"pointer": "/v", "current": 3, "ifAbsent": 2}, "detect": {"all": ["/a", {"container": "zip"}]},
         "dialects": [{"name": "old", "detect": {"not": "/b"}}, {"name": "new", "detect": "/b"}]}}
        """#)
    #expect(format.version?.ifAbsent == [.json: 2, .zip: 2])
    let catalog = FormatCatalog([format])
    guard case .format(let match) = catalog.detect(in: Array(#"{"a": 1, "b": 2}"#.utf8), container: .zip) else {
      throw Unexpected()
    }
    #expect(match.dialect == "new")
    #expect(match.reasons == ["/a exists", "it is a ZIP entry"])
    guard case .unknown(let nearest) = catalog.detect(in: Array(#"{"a": 1}"#.utf8)) else { throw Unexpected() }
    #expect(nearest.map(\.missing) == [["it is not a ZIP entry"]])
  }

  struct Unexpected: Error {}

  private static func detection(of bytes: [UInt8]) throws -> FormatCatalog.Detection {
    FormatCatalog.builtIn.detect(in: bytes)
  }

  private static func text(_ value: Any) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys]), as: UTF8.self)
  }

  /// Returns JSON text with members and items in another order, which depends only on the seed.
  private static func shuffled(_ value: Any, seed: Int) throws -> String {
    func order<Element>(_ elements: [Element]) -> [Element] {
      let shift = elements.isEmpty ? 0 : seed % elements.count
      let rotated = Array(elements[shift...] + elements[..<shift])
      return seed.isMultiple(of: 2) ? rotated : rotated.reversed()
    }
    if let object = value as? [String: Any] {
      let members = try order(object.keys.sorted()).map { "\"\($0)\":" + (try shuffled(object[$0] ?? 0, seed: seed)) }
      return "{" + members.joined(separator: ",") + "}"
    }
    if let array = value as? [Any] {
      return "[" + (try order(array).map { try shuffled($0, seed: seed) }.joined(separator: ",")) + "]"
    }
    return String(decoding: try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed]), as: UTF8.self)
  }
}
