import Foundation
import Testing

@testable import SyntheticBackups

/// A check that doesn't use rules finds each defect of the ledger in the document, so that Coffer doesn't only check itself.
@Suite struct PlainDefectTests {
  private static let sheets: [(String, PlainCheck.Sheet)] = [("aquavate", .aquavate), ("keeptrack", .keeptrack)]

  @Test(arguments: sheets) func `each defect of the ledger is in the document`(name: String, sheet: PlainCheck.Sheet) throws {
    let format = try SyntheticFormats.named(name)
    let sound = try JSONValue(parsing: Generated(.init(size: 40_000, seed: 5), format: format).bytes)
    #expect(format.defectKinds.count >= 10)
    for kind in format.defectKinds {
      let generated = try Generated(.init(size: 40_000, seed: 5, defects: [kind: kind == .version ? 1 : 8]), format: format)
      let root = try JSONValue(parsing: generated.bytes)
      let check = PlainCheck(root: root, sound: sound, ledger: generated.ledger, sheet: sheet)
      // The same places of the valid document are not wrong.
      let control = PlainCheck(root: sound, sound: sound, ledger: generated.ledger, sheet: sheet)
      #expect(generated.ledger.count == (kind == .version ? 1 : 8))
      for entry in generated.ledger {
        #expect(check.isWrong(entry) == true, "\(kind): \(entry.code) \(entry.pointer)")
        guard sound.value(at: entry.pointer) != nil, !Self.isToldByNeighbours(entry) else { continue }
        #expect(control.isWrong(entry) == false, "\(kind): \(entry.code) \(entry.pointer) of the valid document")
      }
    }
  }

  /// Returns whether the check compares with other records: a valid value may be the smallest, the largest or the only one of its
  /// kind.
  private static func isToldByNeighbours(_ entry: LedgerEntry) -> Bool {
    ["minimum", "exclusive-minimum", "maximum", "min-items", "enum", "format", "type"].contains(entry.code)
  }

  /// A sum is that of the existing numbers, whatever the defects of other records.
  @Test(arguments: [DefectKind.required, .type, .range, .shape])
  func `a sum is that of the numbers in the document despite defects`(kind: DefectKind) throws {
    let rules = """
      {"type": "object", "required": ["sum", "list"], "properties": {
        "sum": {"type": "number", "sumOf": {"values": "/list/*/x"}},
        "list": {"type": "array", "items": {"type": "object", "required": ["x"], "properties": {"x": {"type": "number", "minimum": 0}}}}}}
      """
    let format = try Generated.format(rules)
    let generated = try Generated(.init(size: 3000, defects: [kind: 5]), format: format)
    let root = try JSONValue(parsing: generated.bytes)
    #expect(generated.ledger.filter { $0.pointer.hasPrefix("/list/") }.count >= 4)
    let numbers = root["list"]?.items.compactMap { $0["x"]?.number } ?? []
    guard root["sum"]?.number != nil else { return }
    #expect(root["sum"]?.number == numbers.reduce(0, +))
  }

  @Test(arguments: [#"{"type": "number"}"#, #"{"type": "string", "format": "date-time"}"#, #"{"type": "string"}"#])
  func `records are sorted except for the defects`(field: String) throws {
    for order in ["ascending", "descending"] {
      let rules = """
        {"type": "array", "sortedBy": {"field": "x", "order": "\(order)"},
         "items": {"type": "object", "required": ["x"], "properties": {"x": \(field)}}}
        """
      let generated = try Generated(.init(size: 3000, defects: [.order: 3]), format: Generated.format(rules))
      let records = try JSONValue(parsing: generated.bytes).items.compactMap { $0["x"] }
      let misplaced = records.indices.dropFirst().filter { index in
        let (a, b) = order == "ascending" ? (records[index - 1], records[index]) : (records[index], records[index - 1])
        if let number = a.number, let next = b.number { return next < number }
        return (b.string ?? "") < (a.string ?? "")
      }
      #expect(misplaced.map { "/\($0)/x" } == generated.ledger.map(\.pointer))
      #expect(misplaced.count == 3)
    }
  }

  @Test(arguments: 1...20) func `a record is in the wrong order even if the rules don't require the field`(seed: UInt64) throws {
    let rules = """
      {"type": "array", "sortedBy": "x", "minItems": 3, "items": {"type": "object", "properties": {"x": {"type": "integer"}}}}
      """
    let generated = try Generated(.init(size: 0, seed: seed, defects: [.order: 1]), format: Generated.format(rules))
    let values = try JSONValue(parsing: generated.bytes).items.map { $0["x"]?.number ?? .nan }
    #expect(zip(values, values.dropFirst()).filter { $0 > $1 }.count == 1)
    #expect(generated.ledger.count == 1)
  }
}
