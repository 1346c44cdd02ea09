import RuleDrafts
import Rules
import Testing

/// The rules between values that are proposed, before they are proven.
@Suite struct ProposalTests {
  /// Returns the proposals' rules in a collection of a document.
  private func rules(_ document: String, _ collection: String) throws -> JSONValue.Located? {
    try Drafting.drafter([document]).rules().document["properties"]?[collection]
  }

  private static let cars = #""cars": [{"id": 11, "name": "a"}, {"id": 290, "name": "b"}, {"id": 3871, "name": "c"}]"#

  @Test func `an id that is unique and never null is the primary key`() throws {
    #expect(try rules("{\(Self.cars)}", "cars")?["primaryKey"]?["fields"]?.string == "id")
  }

  @Test func `an id that some records lack is a unique key`() throws {
    let cars = try rules(#"{"cars": [{"id": 1}, {"id": 2}, {"id": null}, {}]}"#, "cars")
    #expect(cars?["primaryKey"] == nil)
    #expect(cars?["uniqueKeys"]?.array?.first?["fields"]?.string == "id")
  }

  @Test func `an id that repeats isn't a key`() throws {
    let cars = try rules(#"{"cars": [{"id": 1}, {"id": 1}]}"#, "cars")
    #expect(cars?["primaryKey"] == nil && cars?["uniqueKeys"] == nil)
  }

  @Test func `ids may repeat in other documents`() throws {
    let document = "{\(Self.cars)}"
    let rules = try Drafting.drafter([document, document]).rules().document
    #expect(rules["properties"]?["cars"]?["primaryKey"]?["fields"]?.string == "id")
  }

  @Test(arguments: [
    ("carId", "[11, 290, 11]", true),
    ("car", "[11, 290, 11]", true),
    // Values that the key lacks.
    ("carId", "[11, 12]", false),
    // Small numbers that are named like nothing.
    ("doors", "[11, 11]", false),
  ])
  func `values that all occur as keys are references, if the name or the number supports it`(
    _ name: String, _ values: String, _ refers: Bool
  ) throws {
    let trips = values.dropFirst().dropLast().split(separator: ",").map { "{\"\(name)\": \($0)}" }.joined(separator: ",")
    let reference = try rules("{\(Self.cars), \"trips\": [\(trips)]}", "trips")?["foreignKeys"]?.array?.first
    #expect(reference?["reference"]?["resource"]?.string == (refers ? "/cars" : nil))
  }

  @Test(arguments: [
    ("aliases", "alias"), ("batches", "batch"), ("boxes", "box"), ("caches", "cache"), ("causes", "cause"), ("classes", "class"),
    ("companies", "company"), ("courses", "course"), ("expenses", "expense"), ("houses", "house"), ("movies", "movie"),
    ("phases", "phase"), ("series", "series"), ("sizes", "size"), ("statuses", "status"),
  ])
  func `a name in the singular refers to a collection in the plural`(_ plural: String, _ singular: String) throws {
    let records = "\"\(plural)\": [{\"id\": 11}, {\"id\": 290}, {\"id\": 3871}]"
    let trips = [11, 290, 11].map { "{\"\(singular)Id\": \($0)}" }.joined(separator: ",")
    let reference = try rules("{\(records), \"trips\": [\(trips)]}", "trips")?["foreignKeys"]?.array?.first
    #expect(reference?["reference"]?["resource"]?.string == "/\(plural)")
    #expect(reference?["$comment"]?.string?.contains("its name matches the collection") == true)
  }

  @Test(arguments: DraftStrictness.allCases)
  func `a record's own id is no reference to the records that have it, too`(_ strictness: DraftStrictness) throws {
    let document = """
      {"invoices": [{"invoiceId": "A-17"}, {"invoiceId": "B-4"}, {"invoiceId": "C-91"}],
       "invoiceLines": [{"lineId": 1, "invoiceId": "A-17"}, {"lineId": 2, "invoiceId": "B-4"}, {"lineId": 3, "invoiceId": "C-91"}],
       "invoiceNotes": [{"invoiceId": "C-91", "text": "a"}, {"invoiceId": "A-17", "text": "b"}]}
      """
    let rules = try Drafting.drafter([document], strictness).rules().document["properties"]
    #expect(rules?["invoices"]?["foreignKeys"] == nil)
    for details in ["invoiceLines", "invoiceNotes"] {
      let reference = rules?[details]?["foreignKeys"]?.array?.first?["reference"]
      #expect(reference?["resource"]?.string == "/invoices", "\(details)")
    }
  }

  @Test func `UUIDs refer to a key by their values alone, also from a list, and to one of several collections`() throws {
    func uuid(_ number: Int) -> String { "\"D7B4E3A2-1F60-4C5B-9A83-0E2F6B1C7D\(10 + number)\"" }
    let document = """
      {"people": [{"id": \(uuid(1))}, {"id": \(uuid(2))}, {"id": \(uuid(3))}], "groups": [{"id": \(uuid(4)),
       "members": [\(uuid(1)), \(uuid(2))]}, {"id": \(uuid(5)), "members": [\(uuid(3))]}],
       "plans": [{"with": [\(uuid(1)), \(uuid(4))]}]}
      """
    let members = try rules(document, "groups")?["foreignKeys"]?.array?.first
    #expect(members?["fields"]?.string == "members/*")
    #expect(members?["reference"]?["resource"]?.string == "/people")
    let plans = try rules(document, "plans")?["foreignKeys"]?.array?.first
    #expect(plans?["reference"]?.array?.compactMap { $0["resource"]?.string } == ["/people", "/groups"])
  }

  @Test func `a number named like a collection is its count`() throws {
    let document = "{\(Self.cars), \"carCount\": 3, \"doors\": 3}"
    let rules = try Drafting.drafter([document]).rules().document["properties"]
    #expect(rules?["carCount"]?["countOf"]?.string == "/cars")
    #expect(rules?["doors"]?["countOf"] == nil)
  }

  @Test func `a total is the sum of amounts, and an update no earlier than the creation`() throws {
    let document = """
      {"groups": [{"id": 1, "total": 3, "bills": [{"amount": 1}, {"amount": 2}],
        "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-02T00:00:00Z"}]}
      """
    let group = try rules(document, "groups")?["items"]?["properties"]
    #expect(group?["total"]?["sumOf"]?["values"]?.string == "1/bills/*/amount")
    #expect(group?["updatedAt"]?["formatMinimum"]?["$data"]?.string == "1/createdAt")
  }

  @Test(arguments: [("min", "max"), ("from", "to"), ("startYear", "endYear")])
  func `numbers can be in an order`(_ first: String, _ last: String) throws {
    let car = try rules("{\"cars\": [{\"\(first)\": 3, \"\(last)\": 9, \"doors\": 4}]}", "cars")?["items"]?["properties"]
    #expect(car?[last]?["minimum"]?["$data"]?.string == "1/\(first)")
    #expect(car?["doors"]?["minimum"] == nil)
  }

  @Test func `names with slashes can be in an order`() throws {
    let document = #"{"cars": [{"at/created": "2026-01-01T00:00:00Z", "at/updated": "2026-01-02T00:00:00Z"}]}"#
    let car = try rules(document, "cars")?["items"]?["properties"]
    #expect(car?["at/updated"]?["formatMinimum"]?["$data"]?.string == "1/at~1created")
  }

  @Test func `a refuted proposal is dropped, and a note says so`() throws {
    var drafter = try Drafting.drafter(["{\(Self.cars)}"])
    let drops = drafter.refute(["draft-0": 2])
    let dropsAgain = drafter.refute(["draft-0": 2])
    #expect(drops && !dropsAgain)
    let (rules, notes) = drafter.rules()
    #expect(rules["properties"]?["cars"]?["primaryKey"] == nil)
    #expect(notes.contains { $0.pointer == "/cars/*/id" && $0.message == "no unique key: 2 values contradict it" }, "\(notes)")
  }
}
