import ByteStreams
import JSONEvents

/// Keywords that are decided at the end of an array, an object or the document.
extension KeywordAdder {
  func addEndChecks(_ keyword: Schema.Keyword, _ slot: UInt16) {
    switch keyword.assertion {
    case .required(let names):
      for name in names {
        draft.endChecks.append(
          RuleProgram.EndCheck(
            kind: .required, slot: slot, operand: draft.requiredBit(of: name),
            rule: compiler.builder.addRule(
              keyword, in: draft, expectation: "the member '\(name)'", member: name, isCondition: draft.isMute(slot))))
      }
    case .dependentRequired(let dependencies):
      for dependency in dependencies {
        let trigger = draft.requiredBit(of: dependency.name)
        for name in dependency.required {
          let expectation = "the member '\(name)', which '\(dependency.name)' requires"
          draft.endChecks.append(
            RuleProgram.EndCheck(
              kind: .dependentRequired, slot: slot, operand: draft.requiredBit(of: name), count: Int(trigger),
              rule: compiler.builder.addRule(
                keyword, in: draft, expectation: expectation, member: name, cause: dependency.name,
                isCondition: draft.isMute(slot))))
        }
      }
    case .itemCount(let comparison, let count):
      let items = count == 1 ? "1 item" : "\(count) items"
      draft.endChecks.append(
        RuleProgram.EndCheck(
          kind: comparison == .atLeast ? .minimumItems : .maximumItems, slot: slot, operand: 0, count: count,
          rule: rule(keyword, "\(comparison.words) \(items)")))
    case .memberCount(let comparison, let count):
      draft.countsMembers = true
      let members = count == 1 ? "1 member" : "\(count) members"
      draft.endChecks.append(
        RuleProgram.EndCheck(
          kind: comparison == .atLeast ? .minimumMembers : .maximumMembers, slot: slot, operand: 0, count: count,
          rule: rule(keyword, "\(comparison.words) \(members)")))
    case .uniqueItems(let ignoresCase): draft.uniqueItems.append((slot, ignoresCase, keyword))
    default: preconditionFailure("another kind of keyword")
    }
  }

  /// Adds a rule about other parts of the document. They may come later, and no branch can wait for them.
  func addDocumentRule(_ keyword: Schema.Keyword, _ slot: UInt16) throws(CofferError) {
    try refuseInBranches(keyword, slot)
    switch keyword.assertion {
    case .since(let version):
      let rule = rule(keyword, "in versions from \(version) on")
      let index = compiler.builder.versionRules.count
      compiler.builder.versionRules.append(RuleProgram.VersionRule(version: version, rule: rule))
      for kind in ValueKind.allCases where kind != .null { append(.since, slot, operand: index, rule: rule, kind) }
    case .countOf(let pointer):
      let name = pointer.map { "/" + $0.pointerToken }.joined()
      addTotal(.count, compiler.locations.countIndex(of: pointer), rule(keyword, "the number of items of \(name)"), slot)
    case .sumOf(let sum):
      let operand = aggregate(.sum, sum.values, sum.tolerance, keyword, slot)
      addTotal(.sum, operand, rule(keyword, "the sum of \(sum.words)"), slot)
    case .containerEntry(let entry): addEntry(entry, keyword, slot)
    case .uniqueKey, .foreignKey:
      draft.keyRules.append(keyword)
      draft.recordKeywords.append((keyword, nil))
    default: preconditionFailure("another kind of keyword")
    }
  }

  /// Adds a comparison of a number, or of a decimal string, with a total. Null stands for a missing value; any other value isn't
  /// the total.
  private func addTotal(_ operation: RuleProgram.Operation, _ operand: Int, _ rule: Int32, _ slot: UInt16) {
    for kind in [ValueKind.number, .string] { append(operation, slot, operand: operand, rule: rule, kind) }
    for kind in [ValueKind.boolean, .array, .object] { append(.never, slot, rule: rule, kind) }
  }

  func refuseInBranches(_ keyword: Schema.Keyword, _ slot: UInt16) throws(CofferError) {
    guard slot == 0, !draft.key.isConditional else {
      throw keyword.origin.error(
        "\(keyword.name) is not allowed under anyOf, oneOf, not, if or contains: it needs parts of the document that may come "
          + "after the branch is decided")
    }
  }

  private func addEntry(_ entry: Schema.ContainerEntry, _ keyword: Schema.Keyword, _ slot: UInt16) {
    func operand(_ field: Schema.ContainerEntry.Field?) -> RuleProgram.EntryOperand.Field? {
      guard let field else { return nil }
      let data = Schema.DataReference(origin: .ancestor(levels: 1, field: field.name), text: field.name)
      draft.dataLookups.append((data, slot, keyword))
      var named = keyword
      named.grading = field.grading
      named.origin.pointer = field.origin.pointer
      return RuleProgram.EntryOperand.Field(name: field.name, rule: rule(named, "the entry's declared value"))
    }
    var named = keyword
    named.grading.code = keyword.grading.code ?? "file-missing"
    compiler.builder.constants.entries.append(
      RuleProgram.EntryOperand(
        prefix: entry.prefix, size: operand(entry.size), digest: operand(entry.digest), algorithm: entry.algorithm))
    append(.entry, slot, operand: compiler.builder.constants.entries.count - 1, rule: rule(named, "an entry's name"), .string)
  }
}
