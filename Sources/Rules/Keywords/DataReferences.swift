import ByteStreams
import JSONEvents

/// Values elsewhere in the document, for bounds, `const` and `enum`: `{"$data": "1/createdAt", "plus": "P1D"}`.
extension KeywordReader {
  /// Reads `{"$data": "1/createdAt", "plus": "P1D"}`. Returns `nil` if `value` is something else.
  ///
  /// - Parameter options: the members allowed in addition to `$data`.
  func dataReference(
    _ value: RuleValue, options: [String] = ["plus", "minus"]
  ) throws(CofferError) -> Schema.DataReference? {
    guard dialect.hasVocabulary, let data = value["$data"] else { return nil }
    try value.checkMembers(known: ["$data"] + options)
    let text = try data.expectString()
    var reference = Schema.DataReference(origin: .root([]), text: text)
    for name in ["plus", "minus"] {
      guard let value = value[name] else { continue }
      guard let duration = value.string.flatMap({ CalendarDuration($0, negative: name == "minus") }), reference.plus == nil else {
        throw value.error("\(name) must be a duration such as P1D; plus and minus can't be combined")
      }
      reference.plus = duration
    }
    if let prefix = value["prefix"] { reference.prefix = try prefix.expectString() }
    if text.hasPrefix("/"), let tokens = text.pointerTokens, !tokens.isEmpty {
      guard !tokens.contains("*") else { throw data.error("'*' is not allowed here: expected a single place") }
      reference.origin = .root(tokens)
      return reference
    }
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let levels = Int(parts[0]), levels >= 1, levels <= 512,
      let tokens = ("/" + parts[1]).pointerTokens, tokens.count == 1
    else {
      throw data.error(
        "$data must name a field of an enclosing object ('1/name' is a sibling, '2/name' one level up) or a place from the root "
          + "('/metadata/createdAt')")
    }
    reference.origin = .ancestor(levels: levels, field: tokens[0])
    return reference
  }
}

extension Keyword.Rule {
  static func equals(_ data: Schema.DataReference) -> Keyword.Rule {
    let prefix = data.prefix.map { "'\($0)' followed by " } ?? ""
    return Keyword.Rule(data: [data], words: { _ in "\(prefix)the value of \(data.words)" }) { adder, keyword, slot in
      let rule = adder.rule(keyword, prefix + data.name)
      for kind in [JSONKind.null, .boolean, .number, .string] {
        adder.append(.equalsData, slot, operand: adder.dataOperand(data, nil, keyword, slot), rule: rule, kind)
      }
      for kind in [JSONKind.array, .object] { adder.append(.never, slot, rule: rule, kind) }
    }
  }

  static func among(_ data: Schema.DataReference) -> Keyword.Rule {
    Keyword.Rule(
      data: [data], words: { _ in "one of the items of \(data.text)" },
      request: { locations, _ in _ = locations.aggregate(.items, of: data.items) },
      add: { adder, keyword, slot in
        let rule = adder.rule(keyword, "one of the items of \(data.name)")
        for kind in [JSONKind.null, .boolean, .number, .string] {
          adder.append(.amongData, slot, operand: adder.aggregate(.items, data.items, nil, keyword, slot), rule: rule, kind)
        }
        for kind in [JSONKind.array, .object] { adder.append(.never, slot, rule: rule, kind) }
      })
  }
}

extension Schema.DataReference {
  /// The place and the duration in messages: `startTime plus P1D`, `the outer limit`, `/settings/start`.
  var name: String {
    let place =
      switch origin {
      case .ancestor(1, let field): field
      case .ancestor(_, let field): "the outer \(field)"
      case .root: text
      }
    return place + (plus.map { " \($0.isNegative ? "minus" : "plus") \($0.text)" } ?? "")
  }

  var words: String {
    guard let plus else { return text }
    return "\(text) \(plus.isNegative ? "minus" : "plus") \(plus.text)"
  }

  /// The items of the array that it names.
  var items: Schema.Resource {
    switch origin {
    case .root(let tokens): .root(tokens + ["*"])
    case .ancestor(let levels, let field): .relative(levels: levels, [field, "*"])
    }
  }
}
