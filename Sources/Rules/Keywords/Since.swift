import ByteStreams
import JSONEvents

/// Members that came with a version of the format.
extension Keyword {
  static let since = Keyword("since", .coffer) { _, member, _ throws(CofferError) in
    .since(min(try member.value.expectCount(), Int(Int32.max)))
  }
}

extension Keyword.Rule {
  static func since(_ version: Int) -> Keyword.Rule {
    Keyword.Rule(words: { _ in "since version \(version)" }) { adder, keyword, slot throws(CofferError) in
      try adder.refuseInBranches(keyword, slot)
      let rule = adder.rule(keyword, "in versions from \(version) on")
      let index = adder.compiler.builder.versionRules.count
      adder.compiler.builder.versionRules.append(RuleProgram.VersionRule(version: version, rule: rule))
      for kind in JSONKind.allCases where kind != .null { adder.append(.since, slot, operand: index, rule: rule, kind) }
    }
  }
}
