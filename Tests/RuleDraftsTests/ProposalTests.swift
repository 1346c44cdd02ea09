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

  @Test(
    arguments: [
      // One value, again and again.
      (#""car": 290"#, DraftStrictness.normal, "/cars"), (#""car": 290"#, .loose, nil), (#""carId": 290"#, .loose, "/cars"),
      (#""rentedCar": 290"#, .normal, "/cars"), (#""carFrom": 290"#, .normal, "/cars"),
      // Quantities, and texts that people write.
      (#""carPrice": 290"#, .tight, nil), (#""cars": 11"#, .tight, nil), (#""doors": 11"#, .tight, nil),
      (#""name": "a""#, .normal, nil),
      // By the number of an account, or a name.
      (#""account": "DE89-370""#, .normal, "/accounts"), (#""account": "DE89-370""#, .loose, nil),
      (#""iban": "DE89-370""#, .normal, nil),
      (#""tag": "x""#, .normal, nil),
    ] as [(String, DraftStrictness, String?)])
  func `few values are references if the name is that of the collection`(
    _ member: String, _ strictness: DraftStrictness, _ resource: String?
  ) throws {
    let accounts = #""accounts": [{"iban": "DE89-370"}, {"iban": "DE12-370"}], "tags": [{"name": "x"}, {"name": "y"}]"#
    let document = "{\(Self.cars), \(accounts), \"trips\": [{\(member)}, {\(member)}]}"
    let trips = try Drafting.drafter([document], strictness).rules().document["properties"]?["trips"]
    let reference = trips?["foreignKeys"]?.array?.first
    #expect(reference?["reference"]?["resource"]?.string == resource)
    #expect(resource == nil || reference?["$comment"]?.string?.hasSuffix("Confidence: low.") == true)
  }

  @Test func `a value can refer to the names of an object, and a refuted reference is dropped`() throws {
    let patients = (1...4).map { "\"p\($0)\": {\"name\": \"n\", \"age\": \($0)}" }.joined(separator: ",")
    let document = "{\"patients\": {\(patients)}, \"visits\": [{\"patient\": \"p3\"}, {\"patient\": \"p1\"}]}"
    let reference = try rules(document, "visits")?["foreignKeys"]?.array?.first
    #expect(reference?["fields"]?.string == "patient")
    #expect(reference?["reference"]?.text == #"{"resource": "/patients"}"#)
    var drafter = try Drafting.drafter([document])
    let drops = drafter.refute(["draft-0": 1])
    #expect(drops)
    #expect(
      drafter.rules().notes.contains {
        $0.pointer == "/visits/*/patient" && $0.message == "no reference to the names in /patients: 1 value contradicts it"
      })
  }

  @Test func `a key that others refer to is unique`() throws {
    let document =
      #"{"accounts": [{"iban": "DE89-370"}, {"iban": "DE12-370"}], "trips": [{"account": "DE89-370"}, {"account": "DE12-370"}]}"#
    #expect(try rules(document, "accounts")?["uniqueKeys"]?.array?.first?["fields"]?.string == "iban")
  }

  @Test(arguments: [
    (#"[{"lines": [{"id": 1}, {"id": 2}]}, {"lines": []}]"#, false),
    (#"[{"lines": [{"id": 1}, {"id": 2}]}, {"lines": [{"id": 3}]}]"#, true),
    (#"[{"lines": [{"id": 1}, {"id": 2}]}, {"lines": [{"id": 1}]}]"#, false),
    (#"[{"lines": [{"id": "D7B4E3A2-1F60-4C5B-9A83-0E2F6B1C7D94"}]}]"#, true),
  ])
  func `ids are unique across arrays if several arrays show it`(_ orders: String, _ isAcross: Bool) throws {
    let lines = try rules("{\"orders\": \(orders)}", "orders")?["items"]?["properties"]?["lines"]
    #expect(lines?["primaryKey"]?["fields"]?.string == "id")
    #expect((lines?["primaryKey"]?["acrossArrays"]?.boolean == true) == isAcross)
  }

  @Test func `two keys with one name don't refer to each other`() throws {
    func records(_ codes: Range<Int>) -> String { codes.map { "{\"code\": \"C-\($0)-x\"}" }.joined(separator: ",") }
    let document =
      "{\"events\": [\(records(1..<9))], \"notes\": [\(records(2..<7))], \"uses\": [\(records(2..<7)), \(records(3..<6))]}"
    #expect(try rules(document, "notes")?["foreignKeys"] == nil)
    #expect(try rules(document, "uses")?["foreignKeys"]?.array?.first?["reference"]?["resource"]?.string == "/events")
  }

  @Test func `numbers that people share are no unique key`() throws {
    func document(_ name: String) -> String {
      "{\"people\": [\((1...30).map { "{\"\(name)\": \"\($0 * 7919)x\"}" }.joined(separator: ","))]}"
    }
    #expect(try rules(document("orderNumber"), "people")?["uniqueKeys"] != nil)
    #expect(try rules(document("phoneNumber"), "people")?["uniqueKeys"] == nil)
  }

  @Test func `a note names the reference for which the evidence is weak`() throws {
    let document = #"{"tags": [{"name": "x"}, {"name": "y"}], "trips": [{"tag": "x"}, {"tag": "x"}]}"#
    #expect(
      try Drafting.notes(document, at: "/trips/*/tag").contains(
        "no reference to /tags by name, which has all of the values: the name and 1 distinct value are weak evidence"))
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

  @Test func `an address that is repeated elsewhere is no reference`() throws {
    let customers = (0..<30).map { #"{"id": \#($0), "postalCode": "AB\#(1000 + $0)", "address": "Street \#(100 + $0)"}"# }
    let invoices = (0..<60).map {
      #"{"id": \#($0), "customerId": \#($0 % 30), "billingPostalCode": "AB\#(1000 + $0 % 30)", "billingAddress": "Street \#(100 + $0 % 30)"}"#
    }
    let document = #"{"customers": [\#(customers.joined(separator: ","))], "invoices": [\#(invoices.joined(separator: ","))]}"#
    let keys = try rules(document, "invoices")?["foreignKeys"]?.array ?? []
    #expect(keys.compactMap { $0["fields"]?.string } == ["customerId"])
    #expect(try rules(document, "customers")?["uniqueKeys"] == nil)
  }

  @Test func `decimals that are texts have sums`() throws {
    let document = #"{"groups": [{"total": "3.50", "bills": [{"amount": "1.25"}, {"amount": "2.25"}]}]}"#
    let group = try rules(document, "groups")?["items"]?["properties"]
    #expect(group?["total"]?["sumOf"]?["values"]?.string == "1/bills/*/amount")
  }

  @Test(arguments: [
    ("lineCount", 2, true), ("count", 0, true), ("doors", 2, false), ("lineCount", 3, false), ("size", 2, true),
  ])
  func `a note says that a count in a record has no rule`(_ name: String, _ last: Int, _ counts: Bool) throws {
    let orders = [(0, 0), (1, 1), (last, 2)].map { number, lines in
      "{\"\(name)\": \(number), \"lines\": [\((0..<(last == 0 ? number : lines)).map { "{\"n\": \($0)}" }.joined(separator: ","))]}"
    }
    let document = "{\"orders\": [\((orders + orders).joined(separator: ","))]}"
    let notes = try Drafting.notes(document, at: "/orders/*/\(name)")
    let note = "no count: it is the number of items of lines in each record, but countOf counts only places from the root"
    #expect(notes.contains(note) == (counts && (name == "lineCount" || last == 2)))
  }

  @Test(arguments: [
    ("min", "max"), ("from", "to"), ("startYear", "endYear"), ("startKm", "endKm"), ("minLevel", "maxLevel"), ("low", "high"),
    ("lowerBound", "upperBound"),
  ])
  func `numbers can be in an order`(_ first: String, _ last: String) throws {
    let car = try rules("{\"cars\": [{\"\(first)\": 3, \"\(last)\": 9, \"doors\": 4}]}", "cars")?["items"]?["properties"]
    #expect(car?[last]?["minimum"]?["$data"]?.string == "1/\(first)")
    #expect(car?["doors"]?["minimum"] == nil)
  }

  @Test(arguments: [
    ("startBalance", "endBalance", 19, DraftStrictness.normal, false), ("startBalance", "endBalance", 20, .normal, true),
    ("startBalance", "endBalance", 3, .tight, true), ("startLevel", "endLevel", 5, .normal, false),
    ("minBalance", "maxBalance", 1, .normal, true),
  ])
  func `quantities that rise and fall need many records for an order`(
    _ first: String, _ last: String, _ count: Int, _ strictness: DraftStrictness, _ isOrdered: Bool
  ) throws {
    let records = (1...count).map { "{\"\(first)\": \($0), \"\(last)\": \($0 + 3)}" }.joined(separator: ",")
    let (rules, notes) = try Drafting.drafter(["[\(records)]"], strictness).rules()
    #expect((rules["items"]?["properties"]?[last]?["minimum"] != nil) == isOrdered)
    #expect(isOrdered || notes.contains { $0.message.hasPrefix("no minimum \(first): the names and ") }, "\(notes)")
  }

  @Test(arguments: [
    ("1782900000", "1782900100", "minimum"), ("1782900000000", "1782900000001", "minimum"),
    ("804592800.5", "804592801", "minimum"),
    (#""2026-01-01""#, #""2026-01-02""#, "formatMinimum"),
    (#""2026-01-01T00:00:00.5Z""#, #""2026-01-02T00:00:00.5Z""#, "formatMinimum"), (#""1.5""#, #""12""#, nil),
  ])
  func `times in any format can be in an order`(_ start: String, _ end: String, _ keyword: String?) throws {
    let properties = try rules("{\"a\": [{\"startTime\": \(start), \"endTime\": \(end)}]}", "a")?["items"]?["properties"]
    if let keyword { #expect(properties?["endTime"]?[keyword]?["$data"]?.string == "1/startTime") }
    #expect(keyword != nil || properties?["endTime"]?["formatMinimum"] == nil)
  }

  @Test func `decimals that are texts can be in an order`() throws {
    let cost = try rules(#"{"a": [{"minCost": "2.50", "maxCost": "10"}]}"#, "a")?["items"]?["properties"]?["maxCost"]
    #expect(cost?["format"]?.string == "decimal")
    #expect(cost?["formatMinimum"]?["$data"]?.string == "1/minCost")
  }

  @Test func `a fraction of a second in one of two times doesn't prevent their order`() throws {
    let document =
      #"{"a": [{"startedAt": "2026-01-01T00:00:00.5Z", "endedAt": "2026-01-02T00:00:00Z"}]}"#
    let ended = try rules(document, "a")?["items"]?["properties"]?["endedAt"]
    #expect(ended?["format"]?.string == "date-time-seconds")
    let order = ended?["allOf"]?.array?.first
    #expect(order?["format"]?.string == "date-time" && order?["formatMinimum"]?["$data"]?.string == "1/startedAt")
  }

  @Test(arguments: [
    ("24.12.2024", "31.12.2026"), ("24.12.2024 18:30", "31.12.2026"), ("12/24/2024", "31/12/2026"), ("2024/12/24", "2026/12/31"),
    ("2024-12-24 18:30:00", "2026-12-31 23:59, without an offset"),
    ("2024-12-24T18:30:00", "2026-12-31 23:59, without an offset"),
  ])
  func `a note says which dates can't be compared, once for two members`(_ date: String, _ example: String) throws {
    let document = "{\"a\": [{\"startDate\": \"\(date)\", \"endDate\": \"\(date)\"}]}"
    let notes = try Drafting.drafter([document]).rules().notes.filter { $0.message.contains("compare") }
    #expect(notes.map(\.pointer) == ["/a/*/endDate"])
    #expect(
      notes.map(\.message) == ["no minimum startDate: rules can't compare dates that are written as \(example)"])
  }

  @Test(arguments: ["2024-12-24", "1.2.3", "24.12.24", "24.12.2024x", "12-34-5678-9", "2024-12-24T18:30:00Z"])
  func `other texts are not taken for dates`(_ text: String) throws {
    let document = "{\"a\": [{\"startDate\": \"\(text)\", \"endDate\": \"\(text)\"}]}"
    #expect(try !Drafting.drafter([document]).rules().notes.contains { $0.message.contains("compare") })
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
