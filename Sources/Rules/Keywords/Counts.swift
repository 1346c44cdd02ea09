import ByteStreams
import Findings
import JSONEvents

/// The least or the most characters of a string, items of an array, members of an object.
extension Keyword {
  static let counts: [Keyword] = [
    Keyword("minLength", .validation) { _, member, _ throws(CofferError) in .length(.atLeast, try member.value.expectCount()) },
    Keyword("maxLength", .validation) { _, member, _ throws(CofferError) in .length(.atMost, try member.value.expectCount()) },
    Keyword("minItems", .validation) { _, member, _ throws(CofferError) in .itemCount(.atLeast, try member.value.expectCount()) },
    Keyword("maxItems", .validation) { _, member, _ throws(CofferError) in .itemCount(.atMost, try member.value.expectCount()) },
    Keyword("minProperties", .validation) { _, member, _ throws(CofferError) in
      .memberCount(.atLeast, try member.value.expectCount())
    },
    Keyword("maxProperties", .validation) { _, member, _ throws(CofferError) in
      .memberCount(.atMost, try member.value.expectCount())
    },
  ]
}

extension Keyword.Rule {
  static func length(_ comparison: Comparison, _ count: Int) -> Keyword.Rule {
    counting(.string, .characters, "character", comparison, count) { adder, slot, rule in
      let operation: RuleProgram.Operation = comparison == .atLeast ? .minimumLength : .maximumLength
      adder.append(operation, slot, operand: min(count, Int(Int32.max)), rule: rule, .string)
    }
  }

  static func itemCount(_ comparison: Comparison, _ count: Int) -> Keyword.Rule {
    counting(.array, .items, "item", comparison, count) { adder, slot, rule in
      adder.endCheck(comparison == .atLeast ? .minimumItems : .maximumItems, slot, count: count, rule: rule)
    }
  }

  static func memberCount(_ comparison: Comparison, _ count: Int) -> Keyword.Rule {
    counting(.object, .members, "member", comparison, count) { adder, slot, rule in
      adder.draft.countsMembers = true
      adder.endCheck(comparison == .atLeast ? .minimumMembers : .maximumMembers, slot, count: count, rule: rule)
    }
  }

  private static func counting(
    _ types: TypeSet, _ measure: Limit.Measure, _ noun: String, _ comparison: Comparison, _ count: Int,
    add: @escaping @Sendable (KeywordAdder, UInt16, _ rule: Int32) -> Void
  ) -> Keyword.Rule {
    let words = "\(comparison.words) \(count) \(count == 1 ? noun : noun + "s")"
    return Keyword.Rule(
      types, limit: Limit(measure: measure, comparison: comparison, value: .count(count)), words: { _ in words },
      add: { adder, keyword, slot in add(adder, slot, adder.rule(keyword, words)) })
  }
}
