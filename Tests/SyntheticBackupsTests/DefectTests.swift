import ByteStreams
import Foundation
import Testing

@testable import SyntheticBackups

@Suite struct DefectTests {
  /// The kinds that ``FormatRules`` finds with the same codes, independently of the rule document.
  @Test(arguments: [.reference, .order, .future] as [DefectKind], [1, 2, 3] as [UInt64])
  func `an independent check finds the planted defects`(kind: DefectKind, seed: UInt64) throws {
    let generated = try Generated(defects: [kind: 20], seed: seed)
    #expect(generated.ledger.count == 20)
    // The descriptor reports a missing or null car of an expense as a dangling reference, the fact sheet as a missing member or
    // wrong type.
    let findings = try generated.findings.map {
      $0.replacing("required ", with: "foreign-key ").replacing("type /expenses/", with: "foreign-key /expenses/")
    }
    let expected = generated.expectedFindings
    #expect(findings.filter { !expected.contains($0) } == [])
    #expect(findings.count == expected.count)
  }

  @Test func `the pointers of the ledger lead to its values`() throws {
    for kind in try Generated.tracker().defectKinds {
      let generated = try Generated(defects: [kind: kind == .version ? 1 : 30])
      let root = try JSONValue(parsing: generated.bytes)
      for entry in generated.ledger {
        guard let value = entry.value else { continue }
        let found = try #require(root.value(at: entry.pointer), "\(entry.pointer)")
        // Numbers are compared by value because Foundation doesn't keep their text.
        #expect(found.number.map { $0 == Decimal(string: value) } ?? (found.text == value), "\(kind) \(entry.pointer)")
      }
    }
  }

  @Test func `the ledger is in document order`() throws {
    let defects: [DefectKind: Int] = [.reference: 30, .required: 30]
    let ledger = try Generated(defects: defects).ledger
    let collections = [
      "cars", "delayedNotifications", "documents", "expenses", "ideas", "metadata", "plannedMaintenance", "userSettings",
    ]
    let places = ledger.map { entry in
      let tokens = entry.pointer.split(separator: "/")
      return (collections.firstIndex(of: String(tokens[0])) ?? -1, tokens.count > 1 ? Int(tokens[1]) ?? 0 : 0)
    }
    #expect(zip(places, places.dropFirst()).allSatisfy { $0 <= $1 })
  }

  @Test func `defects are spread evenly over the document`() throws {
    let generated = try Generated(.init(size: 300_000, seed: 2, defects: [.consistency: 41]))
    let indices = generated.ledger.filter { $0.pointer.hasPrefix("/expenses/") }.compactMap {
      Int($0.pointer.split(separator: "/")[1])
    }
    #expect(indices.count >= 30)
    let share = generated.summary.records["/expenses"] / indices.count
    #expect(zip(indices, indices.dropFirst()).allSatisfy { abs($1 - $0 - share) <= 1 })
  }

  @Test func `a kind of defect uses all its variants in turn`() throws {
    let ledger = try Generated(defects: [.reference: 5]).ledger
    let collections = ledger.map { String($0.pointer.split(separator: "/")[0]) }
    #expect(Set(collections).count == 5)
  }

  @Test(arguments: [
    (
      DefectKind.version, 2,
      "cannot plant 2 defects of kind version, only 1: a document has no more places for them, whatever its size"
    ),
    (
      .order, 500,
      "cannot plant 500 defects of kind order, only 3: make the document larger: at most every second record carries a defect"
    ),
    (.range, -1, "cannot plant a negative number of defects of kind range"),
    (
      .count, 1,
      "ev-charging-tracker has no defects of kind count; it has required, type, shape, format, enum, range, order, future, consistency, "
        + "reference, duplicate, version, unknown, dialect"
    ),
  ])
  func `an impossible number or kind of defects is an error`(kind: DefectKind, count: Int, message: String) throws {
    let error = try #require(throws: CofferError.self) {
      try SyntheticBackup(of: Generated.tracker(), options: .init(size: 10_000, defects: [kind: count]))
    }
    #expect(error.message == message)
  }

  @Test func `the ledger is written as JSON Lines`() throws {
    var writer = LedgerWriter()
    var sink = MemorySink()
    for entry in [
      LedgerEntry(code: "required", pointer: "/expenses/74/currency", value: nil),
      LedgerEntry(code: "foreign-key", pointer: "/expenses/224/carId", value: "424066"),
    ] {
      try writer.append(entry, to: &sink)
    }
    try writer.finish(to: &sink)
    let expected = """
      {"code":"required","pointer":"/expenses/74/currency"}
      {"code":"foreign-key","pointer":"/expenses/224/carId","value":"424066"}

      """
    #expect(String(decoding: sink.bytes, as: UTF8.self) == expected)
  }
}
