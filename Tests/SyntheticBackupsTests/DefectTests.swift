import ByteStreams
import Foundation
import Testing

@testable import SyntheticBackups

@Suite struct DefectTests {
  /// Of which one record in two can be had by each kind.
  private static func many(_ kind: DefectKind) -> Int {
    switch kind {
    case .version: 1
    case .dialect: 20
    default: 40
    }
  }

  @Test(arguments: DefectKind.allCases)
  func aSingleDefectIsTheOnlyFinding(kind: DefectKind) throws {
    let generated = try Generated(.init(size: 20_000, seed: 11, defects: [kind: 1]))
    #expect(generated.ledger.count == 1)
    #expect(try generated.findings == generated.expectedFindings)
  }

  @Test(arguments: DefectKind.allCases, [1, 2, 3] as [UInt64])
  func everyVariantIsOneFinding(kind: DefectKind, seed: UInt64) throws {
    let generated = try Generated(defects: [kind: Self.many(kind)], seed: seed)
    #expect(generated.ledger.count == Self.many(kind))
    #expect(try generated.findings == generated.expectedFindings)
    let fields = Set(generated.ledger.map { $0.pointer.filter { !$0.isNumber } })
    let variants = DefectVariant.all.filter { $0.kind == kind }
    #expect(fields == Set(variants.map { "/\($0.member.rawValue)/\($0.member.isCollection ? "/" : "")\($0.field)" }))
  }

  @Test(arguments: [.sorted, .reversed] as [SyntheticBackup.Options.CollectionOrder])
  func allKindsTogetherDoNotDisturbEachOther(order: SyntheticBackup.Options.CollectionOrder) throws {
    var defects = Dictionary(uniqueKeysWithValues: DefectKind.allCases.map { ($0, 10) })
    defects[.version] = 1
    let generated = try Generated(defects: defects, order: order)
    #expect(generated.summary.defects == defects.values.reduce(0, +))
    #expect(try generated.findings == generated.expectedFindings)
  }

  @Test(arguments: [DefectKind.reference, .duplicate, .consistency])
  func aDocumentFullOfDefectsHasNoOthers(kind: DefectKind) throws {
    let possible = 100 + (kind == .consistency ? 20 : 80)
    let generated = try Generated(defects: [kind: possible])
    #expect(generated.ledger.count == possible)
    #expect(try generated.findings == generated.expectedFindings)
    #expect(throws: SyntheticBackupError.self) { try Generated(defects: [kind: possible + 1]) }
  }

  @Test(arguments: DefectKind.allCases)
  func pointersShowWhatTheLedgerSays(kind: DefectKind) throws {
    let generated = try Generated(defects: [kind: Self.many(kind)])
    let root = try JSONValue(parsing: generated.bytes)
    for entry in generated.ledger {
      guard let value = entry.value else {
        #expect(root.value(at: entry.pointer) == nil)
        continue
      }
      let found = try #require(root.value(at: entry.pointer), "\(entry.pointer)")
      // Numbers compare as numbers: Foundation doesn't keep their text.
      #expect(found.number.map { $0 == Decimal(string: value) } ?? (found.text == value), "\(entry.pointer)")
    }
  }

  @Test func theLedgerFollowsTheDocument() throws {
    let defects: [DefectKind: Int] = [.reference: 30, .required: 30]
    for (order, collections) in [
      (.sorted, ["cars", "delayedNotifications", "documents", "expenses", "ideas", "plannedMaintenance", "userSettings"]),
      (.reversed, ["userSettings", "plannedMaintenance", "ideas", "expenses", "documents", "delayedNotifications", "cars"]),
    ] as [(SyntheticBackup.Options.CollectionOrder, [String])] {
      let ledger = try Generated(defects: defects, order: order).ledger
      let places = ledger.map { entry in
        let tokens = entry.pointer.split(separator: "/")
        return (collections.firstIndex(of: String(tokens[0])) ?? -1, Int(tokens[1]) ?? 0)
      }
      #expect(zip(places, places.dropFirst()).allSatisfy { $0 < $1 })
    }
  }

  @Test func defectsAreSpreadOverTheDocument() throws {
    let generated = try Generated(.init(size: 300_000, seed: 2, defects: [.future: 41]))
    let expenses = generated.ledger.filter { $0.pointer.hasPrefix("/expenses/") }
    let indices = expenses.compactMap { Int($0.pointer.split(separator: "/")[1]) }
    #expect(indices.count == 40)
    let share = generated.summary.records.expenses / 40
    #expect(zip(indices, indices.dropFirst()).allSatisfy { abs($1 - $0 - share) <= 1 })
  }

  @Test func kindsTakeTheirVariantsInTurn() throws {
    let ledger = try Generated(defects: [.reference: 5]).ledger
    let collections = ledger.map { String($0.pointer.split(separator: "/")[0]) }
    #expect(collections == ["delayedNotifications", "documents", "expenses", "ideas", "plannedMaintenance"])
  }

  @Test(arguments: [
    (DefectKind.version, 2, "cannot plant 2 defects of kind version, only 1: a document has one version"),
    (
      .dialect, 5,
      "cannot plant 5 defects of kind dialect, only 1: make the document larger: one record in two carries a defect at most"
    ),
    (.range, -1, "cannot plant fewer than no defects of kind range"),
  ])
  func whatCannotBePlantedIsAnError(kind: DefectKind, count: Int, message: String) throws {
    let error = try #require(throws: SyntheticBackupError.self) {
      try SyntheticBackup(options: .init(size: 10_000, defects: [kind: count]))
    }
    #expect(error.message == message)
  }

  @Test func theLedgerIsWrittenAsJSONLines() throws {
    var writer = LedgerWriter()
    var sink = MemorySink()
    for entry in try Generated(.init(size: 100_000, seed: 1, defects: [.reference: 1, .required: 1])).ledger {
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
