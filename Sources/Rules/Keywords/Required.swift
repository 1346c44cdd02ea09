import ByteStreams
import JSONEvents

/// Members that an object must have: always, or if it has another one.
extension Keyword {
  static let requirements: [Keyword] = [
    Keyword("required", .validation) { _, member, reader throws(CofferError) in .required(try reader.required(member.value)) },
    Keyword("dependentRequired", .validation, since: .draft2019) { _, member, _ throws(CofferError) in
      .dependentRequired(
        try member.value.expectMembers(of: "lists of names").map { member throws(CofferError) in
          (member.key, try member.value.expectNames())
        })
    },
  ]
}

extension KeywordReader {
  fileprivate func required(_ value: RuleValue) throws(CofferError) -> [String] {
    guard value.boolean == nil else {
      throw value.error("since draft 4, required is a list of names, in the schema of the object that has them")
    }
    return try value.expectNames()
  }
}

extension Keyword.Rule {
  static func required(_ names: [String]) -> Keyword.Rule {
    Keyword.Rule(.object) { adder, keyword, slot in
      for name in names { adder.require(name, "the member '\(name)'", .required, by: keyword, slot) }
    }
  }

  static func dependentRequired(_ dependencies: [(name: String, required: [String])]) -> Keyword.Rule {
    Keyword.Rule(.object, words: { $0?.inQuotationMarks }) { adder, keyword, slot in
      for (cause, required) in dependencies {
        let trigger = Int(adder.draft.requiredBit(of: cause))
        for name in required {
          let expectation = "the member '\(name)', which '\(cause)' requires"
          adder.require(name, expectation, .dependentRequired, by: keyword, slot, trigger: trigger, cause: cause)
        }
      }
    }
  }
}

extension KeywordAdder {
  fileprivate func require(
    _ name: String, _ expectation: String, _ kind: RuleProgram.EndCheck.Kind, by keyword: Schema.Keyword, _ slot: UInt16,
    trigger: Int = 0, cause: String? = nil
  ) {
    endCheck(
      kind, slot, operand: draft.requiredBit(of: name), count: trigger,
      rule: compiler.builder.addRule(
        keyword, in: draft, expectation: expectation, member: name, cause: cause, isCondition: draft.isMute(slot)))
  }
}
