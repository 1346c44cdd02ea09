import RuleDrafts
import Rules
import Testing

/// Records that ascend or descend by a time or an id.
@Suite struct SortingTests {
  private func records(_ count: Int = 20, _ record: (Int) -> String) -> String {
    "{\"trips\": [\((1...count).map { "{\(record($0))}" }.joined(separator: ","))]}"
  }

  private func sorting(_ document: String, _ strictness: DraftStrictness = .normal) throws -> JSONValue.Located? {
    try Drafting.drafter([document], strictness).rules().document["properties"]?["trips"]?["allOf"]?.array?.first
  }

  private func day(_ number: Int) -> String { "2026-01-\(number < 10 ? "0" : "")\(number)" }

  @Test func `records that ascend by an id give a warning, and an error in tight drafts`() throws {
    let document = records { "\"id\": \($0 * 3), \"km\": \($0 * 7 % 5)" }
    let sorting = try sorting(document)
    #expect(sorting?["sortedBy"]?.string == "id" && sorting?["severity"]?.string == "warning")
    #expect(sorting?["$comment"]?.string == "20 records, ascending by id. Confidence: medium.")
    let tight = try self.sorting(document, .tight)
    #expect(tight?["sortedBy"]?.string == "id" && tight?["severity"] == nil)
    #expect(try self.sorting(document, .loose) == nil)
    #expect(
      try Drafting.notes(document, at: "/trips", .loose) == ["no order of records: that they are ascending by id may be chance"])
  }

  @Test func `dates are compared as times, in descending order, too`() throws {
    let sorting = try sorting(records { "\"id\": \($0 * 7 % 23), \"on\": \"\(day(21 - $0))T00:00:00Z\"" })
    #expect(sorting?["sortedBy"]?["field"]?.string == "on" && sorting?["sortedBy"]?["order"]?.string == "descending")
    #expect(sorting?["sortedBy"]?["asInstants"]?.boolean == true)
    let numeric = try self.sorting(records { "\"createdAt\": \(1_782_900_000 + $0)" })
    #expect(numeric?["sortedBy"]?.string == "createdAt")
  }

  @Test func `one of two orders may follow from the other`() throws {
    let document = records { "\"id\": \($0), \"on\": \"\(day($0))\"" }
    #expect(try sorting(document) == nil)
    #expect(
      try Drafting.notes(document, at: "/trips")
        == ["no order of records: they are sorted by id and on, and one order may follow from another"])
    #expect(try sorting(document, .tight)?["sortedBy"]?["field"]?.string == "on")
  }

  @Test(arguments: [
    // Too few, too many equal ones, one out of order, other names, texts that only people order, and a missing one.
    ("id", (1...19).map { "\($0)" }), ("createdAt", (1...40).map { "\(1_782_900_000 + $0 / 5)" }),
    ("id", (1...40).map { "\($0 == 30 ? 0 : $0)" }), ("km", (1...40).map { "\($0)" }), ("id", (1...40).map { "\"\($0 + 100)\"" }),
    ("id", (1...40).map { $0 == 7 ? "null" : "\($0)" }),
  ])
  func `other records have no order`(_ name: String, _ values: [String]) throws {
    #expect(try sorting(records(values.count) { "\"\(name)\": \(values[$0 - 1])" }, .tight) == nil)
  }

  @Test func `records must be in this order in each document`() throws {
    let documents = [records { "\"id\": \($0)" }, records { "\"id\": \(50 - $0)" }]
    let rules = try Drafting.drafter(documents, .tight).rules().document
    #expect(rules["properties"]?["trips"]?["allOf"] == nil)
    let further = try Drafting.drafter([documents[0], documents[0]], .tight).rules().document
    #expect(further["properties"]?["trips"]?["allOf"] != nil)
  }
}
