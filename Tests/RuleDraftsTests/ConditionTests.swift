import RuleDrafts
import Rules
import Testing

/// Members that records have for some values of a kind alone.
@Suite struct ConditionTests {
  private static let kinds = ["card", "cash", "transfer"]

  /// Records with the kinds in turn.
  private func payments(_ count: Int = 45, _ member: (_ kind: String, _ number: Int) -> String) -> String {
    let records = (0..<count).map { number -> String in
      let kind = Self.kinds[number % 3]
      let further = member(kind, number)
      return "{\"kind\": \"\(kind)\"\(further.isEmpty ? "" : ", \(further)")}"
    }
    return "{\"payments\": [\(records.joined(separator: ","))]}"
  }

  private func conditions(_ document: String, _ strictness: DraftStrictness = .normal) throws -> [JSONValue.Located] {
    let payments = try Drafting.drafter([document], strictness).rules().document["properties"]?["payments"]
    return payments?["items"]?["allOf"]?.array ?? []
  }

  @Test func `a member that one kind has is required there, and refused elsewhere`() throws {
    let conditions = try conditions(payments { kind, number in kind == "card" ? "\"cardNumber\": \"\(number)x\"" : "" })
    #expect(
      conditions.map(\.text) == [
        #"{"$comment": "15 records with kind \"card\" have it, 30 records with kind \"cash\" or \"transfer\" lack it. Confidence: medium.", "#
          + #""if": {"required": ["kind"], "properties": {"kind": {"const": "card"}}}, "#
          + #""then": {"required": ["cardNumber"], "code": "consistency", "errorMessage": "records with kind \"card\" have this member"}, "#
          + #""else": {"properties": {"cardNumber": {"type": "null", "code": "consistency", "#
          + #""errorMessage": "only records with kind \"card\" have this member"}}}}"#
      ])
  }

  @Test func `null counts as missing`() throws {
    let condition = try conditions(payments { kind, number in "\"bank\": \(kind == "cash" ? "null" : "\"b\(number)\"")" }).first
    #expect(condition?["if"]?["properties"]?["kind"]?["enum"]?.array?.compactMap(\.string) == ["card", "transfer"])
    #expect(condition?["then"]?["required"] == nil)
    #expect(condition?["then"]?["properties"]?["bank"]?["type"]?.string == "string")
    #expect(condition?["else"]?["properties"]?["bank"]?["type"]?.string == "null")
  }

  @Test func `members with the same kinds share a condition`() throws {
    let conditions = try conditions(payments { kind, number in kind == "card" ? "\"pin\": \(number), \"chip\": true" : "" })
    #expect(conditions.count == 1)
    #expect(conditions.first?["then"]?["required"]?.array?.compactMap(\.string) == ["pin", "chip"])
  }

  @Test func `a flag and a number can be a kind`() throws {
    let flags = (0..<30).map { "{\"isPaid\": \($0 % 2 == 0)\($0 % 2 == 0 ? ", \"paidAt\": \($0)" : "")}" }
    let flag = try conditions("{\"payments\": [\(flags.joined(separator: ","))]}").first
    #expect(flag?["if"]?["properties"]?["isPaid"]?["const"]?.boolean == true)
    #expect(flag?["then"]?["required"]?.array?.first?.string == "paidAt")
    let numbers = (0..<60).map { "{\"type\": \($0 % 3)\($0 % 3 == 1 ? ", \"pin\": \($0)" : "")}" }
    let number = try conditions("{\"payments\": [\(numbers.joined(separator: ","))]}").first
    #expect(number?["if"]?["properties"]?["type"]?["const"]?.number == "1")
  }

  @Test func `a member that only some records of a kind have is refused for the others`() throws {
    let condition = try conditions(
      payments(300) { kind, number in kind == "card" && number % 2 == 0 ? "\"pin\": \(number)" : "" }
    ).first
    #expect(condition?["if"]?["properties"]?["kind"]?["enum"]?.array?.compactMap(\.string) == ["cash", "transfer"])
    #expect(
      condition?["then"]?["properties"]?["pin"]?["errorMessage"]?.string
        == #"records with kind "cash" or "transfer" lack this member"#)
    #expect(condition?["else"] == nil)
  }

  @Test func `a member that some records of each kind have has no condition`() throws {
    #expect(try conditions(payments(300) { _, number in number % 7 == 0 ? "\"note\": \"n\(number)\"" : "" }).isEmpty)
  }

  @Test func `weak evidence gives a note, and a name makes it stronger`() throws {
    func document(_ name: String) -> String {
      payments(15) { kind, number in kind == "cash" ? "\"\(name)\": \(number)" : "" }
    }
    #expect(try conditions(document("drawer")).isEmpty)
    #expect(
      try Drafting.notes(document("drawer"), at: "/payments/*/drawer")
        == ["no condition by kind, though it decides: 15 records are weak evidence"])
    #expect(try conditions(document("drawer"), .tight).count == 1)
    #expect(try conditions(document("cashDrawer")).count == 1)
    #expect(try conditions(document("cashDrawer"), .loose).isEmpty)
  }

  @Test func `limits have notes`() throws {
    let many = (0..<70).map { "\"m\($0)x\": 1" }.joined(separator: ",")
    let notes = try Drafting.notes(payments { _, _ in many }, at: "/payments/*")
    #expect(notes.contains("no members by kind: not tried for objects with more than 64 members"), "\(notes)")
    let units = (0..<90).map {
      "{\"unit\": \"\(["g", "kg", "t", "ml", "l", "m", "cm", "mm", "km", "h", "s", "d", "y"][$0 % 13])\"}"
    }
    #expect(
      try Drafting.notes("{\"payments\": [\(units.joined(separator: ","))]}", at: "/payments/*/unit")
        == ["no members by its values: not tried for more than 12"])
    let pairs = (0..<600).map { number -> String in
      let flags = (0..<9).map { "\"f\($0)x\": \((number >> $0) & 1 == 1)" + ((number >> $0) & 1 == 1 ? ", \"g\($0)y\": 1" : "") }
      return "{\(flags.joined(separator: ","))}"
    }
    let further = try Drafting.notes("{\"payments\": [\(pairs.joined(separator: ","))]}", at: "/payments/*")
    #expect(further.contains { $0.hasPrefix("no condition of ") && $0.hasSuffix(": only 8 are tried") }, "\(further)")
  }

  @Test func `a refuted condition is dropped`() throws {
    var drafter = try Drafting.drafter([payments { kind, number in kind == "card" ? "\"pin\": \(number)" : "" }])
    let drops = drafter.refute(["draft-0": 1])
    #expect(drops)
    let (rules, notes) = drafter.rules()
    #expect(rules["properties"]?["payments"]?["items"]?["allOf"] == nil)
    #expect(notes.contains { $0.message == "no condition of pin by kind: 1 value contradicts it" }, "\(notes)")
  }
}
