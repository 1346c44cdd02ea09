import ByteStreams
import Findings
import JSONEvents

/// Schemas for the items of an array: by index, for any, for some, for the others.
extension Keyword {
  static let items: [Keyword] = [
    Keyword("items", .applicator, subschemas: oneOrList) { schemas, _, reader throws(CofferError) in
      reader.schema["prefixItems"] == nil || !reader.knowsPrefixItems ? try schemas.items(reader) : nil
    },
    Keyword("prefixItems", .applicator, since: .draft2020, subschemas: list) { schemas, _, reader throws(CofferError) in
      try schemas.items(reader)
    },
    Keyword("contains", .applicator, since: .draft6, subschemas: one) { schemas, member, reader throws(CofferError) in
      try schemas.contains(member.value, reader)
    },
    Keyword("minContains", .validation, since: .draft2019, needs: "contains", read: containsCount),
    Keyword("maxContains", .validation, since: .draft2019, needs: "contains", read: containsCount),
    Keyword("unevaluatedItems", .unevaluated, since: .draft2019, subschemas: one) {
      .unevaluatedItems($0.inner($1.value, $1.key, $2))
    },
  ]

  /// It is read with `items`.
  static let additionalItems = Keyword(
    "additionalItems", .core, until: .draft2019,
    successor: ("use prefixItems for the first items and items for the rest", draft7), subschemas: one
  ) { schemas, member, reader in
    if reader.schema["items"]?.isArray != true {
      schemas.ignore(member, reader, "'additionalItems' has no effect unless 'items' is a list of schemas")
    }
    return nil
  }

  /// It is read with `contains`.
  private static let containsCount: Read = { _, member, _ throws(CofferError) in
    _ = try member.value.expectCount()
    return nil
  }
}

extension SchemaReader {
  /// Reads `prefixItems` and `items`; before 2020-12, `items` as a list and `additionalItems`.
  fileprivate mutating func items(_ reader: KeywordReader) throws(CofferError) -> Schema.Assertion {
    let prefixName = reader.knowsPrefixItems ? "prefixItems" : "items"
    let restName = reader.knowsPrefixItems ? "items" : "additionalItems"
    guard let value = reader.schema[prefixName], value.isArray || reader.knowsPrefixItems else {
      guard let value = reader.schema["items"] else { preconditionFailure("items needs a keyword") }
      guard !value.isArray else {
        throw value.error("items must be one schema for all items; since 2020-12, use prefixItems for a list of schemas")
      }
      return .items(prefix: [], rest: inner(value, "items", reader))
    }
    let prefix = try schemas(value, prefixName, reader, .error)
    return .items(prefix: prefix, rest: reader.schema[restName].map { inner($0, restName, reader) })
  }

  fileprivate mutating func contains(_ value: RuleValue, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion {
    var rule = Schema.Contains(schema: inner(value, "contains", reader), minimum: 1, maximum: nil)
    guard reader.dialect.hasValidation, reader.dialect.edition >= .draft2019 else { return .contains(rule) }
    if let value = reader.schema["minContains"] { rule.minimum = try value.expectCount() }
    if let value = reader.schema["maxContains"] { rule.maximum = try value.expectCount() }
    rule.evaluates = reader.dialect.edition >= .draft2020
    return .contains(rule)
  }
}

extension KeywordAdder {
  func addContains(_ contains: Schema.Contains, _ keyword: Schema.Keyword, _ slot: UInt16, _ scope: Int) -> Covers {
    let counted = draft.addSlot(parent: slot, isMute: true)
    let counter = Int32(draft.contains.count)
    draft.contains.append(
      StateDraft.ContainsRule(
        counted: counted, slot: slot, evaluates: contains.evaluates,
        rule: StateDraft.ItemRule(slot: counted, scope: scope, prefix: [], rest: contains.schema),
        ruleRow: rule(keyword, "an item that matches")))
    func close(_ kind: RuleProgram.EndCheck.Kind, _ count: Int, _ name: String, _ words: String) {
      // minContains and maxContains are siblings of `contains`; a finding names the violated keyword.
      var named = keyword
      named.name = name
      named.origin.pointer = String(keyword.origin.pointer.dropLast("contains".count)) + name
      let items = count == 1 ? "1 matching item" : "\(count) matching items"
      draft.endChecks.append(
        RuleProgram.EndCheck(kind: kind, slot: slot, operand: counter, count: count, rule: rule(named, "\(words) \(items)")))
    }
    if contains.minimum > 0 {
      close(.minimumContains, contains.minimum, contains.minimum == 1 ? "contains" : "minContains", "at least")
    }
    if let maximum = contains.maximum { close(.maximumContains, maximum, "maxContains", "at most") }
    return [.contains(Int(counter))]
  }
}
