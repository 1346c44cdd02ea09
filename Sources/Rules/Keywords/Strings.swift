import ByteStreams
import Findings
import JSONEvents

/// Patterns and formats of strings. Some formats are those of numbers.
extension Keyword {
  static let strings: [Keyword] = [
    Keyword("pattern", .validation) { _, member, _ throws(CofferError) in .pattern(try member.value.expectPattern()) },
    Keyword("format", .core) { schemas, member, reader throws(CofferError) in try schemas.format(member, reader) },
    Keyword("contentSchema", .naming, since: .draft2019, subschemas: one) { schemas, member, reader in
      _ = schemas.inner(member.value, member.key, reader)
      return nil
    },
  ]
}

extension SchemaReader {
  /// Returns `nil` if the format is an annotation.
  fileprivate mutating func format(_ member: RuleValue.Member, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion? {
    let name = try member.value.expectString()
    let dialect = reader.dialect
    guard let format = StringFormat(name: name) else {
      let known = StringFormat.allCases.filter { dialect.hasVocabulary || $0.isStandard }.map(\.name)
      let suggestion = unknownNames.format(nearestTo: name, among: known).map { "; did you mean '\($0)'?" } ?? ""
      guard dialect.hasVocabulary else {
        ignore(
          member, reader, code: "ignored-format", "'\(name)' is not a format of \(dialect.edition.name)\(suggestion)")
        return nil
      }
      throw member.value.error("unknown format '\(name)'\(suggestion); Coffer checks \(known.joined(separator: ", "))")
    }
    if dialect.asserts(format, formats) { return .format(format) }
    if formats == .never { return nil }
    let draft = dialect.edition.name
    let message =
      if let introduction = Dialect.Edition(introducing: format) {
        introduction > dialect.edition
          ? "the format '\(name)' is not checked in \(draft): \(introduction.name) introduced it"
          : "the format '\(name)' only annotates in \(draft)"
      } else {
        "'\(name)' is Coffer's format, which \(draft) doesn't have"
      }
    ignore(member, reader, code: "unasserted-format", message)
    return nil
  }
}

extension Keyword.Rule {
  static func pattern(_ pattern: Pattern) -> Keyword.Rule {
    Keyword.Rule(.string, words: { $0?.inQuotationMarks ?? "matches \(pattern.source)" }) { adder, keyword, slot in
      adder.append(
        .pattern, slot, operand: adder.constant(pattern, in: \.patterns),
        rule: adder.rule(keyword, "text that matches \(pattern.source)"), .string)
    }
  }

  static func format(_ format: StringFormat) -> Keyword.Rule {
    let noun = String(format.noun.split(separator: " (")[0]) + (format == .colorHex ? " (#RRGGBB)" : "")
    return Keyword.Rule(format.types, words: { _ in noun }) { $0.addFormat(format, $1, $2) }
  }
}

extension StringFormat {
  /// The types of the values that have the format.
  var types: TypeSet { appliesToNumbers ? .number : .string }
}

extension KeywordAdder {
  fileprivate func addFormat(_ format: StringFormat, _ keyword: Schema.Keyword, _ slot: UInt16) {
    let kind: JSONKind = format.appliesToNumbers ? .number : .string
    // Bounds bring their own format check: a value with a wrong format has one fault, not two.
    func severity(_ check: RuleProgram.Check) -> Severity { compiler.builder.rules[Int(check.rule)].severity }
    let isKnown = draft.checks[kind.rawValue].contains {
      $0.isFormat(format, slot) && severity($0) >= keyword.grading.severity
    }
    if isKnown { return }
    append(.format, slot, operand: Int(format.rawValue), rule: rule(keyword, format.noun), kind)
    // A value that isn't even the more general of these formats has one fault, too.
    guard format == .dateTimeSeconds || format == .appleDateTime,
      let wide = draft.checks[kind.rawValue].first(where: { $0.isFormat(.appleDateTime, slot) }),
      let narrow = draft.checks[kind.rawValue].firstIndex(where: { $0.isFormat(.dateTimeSeconds, slot) }),
      severity(wide) >= severity(draft.checks[kind.rawValue][narrow])
    else { return }
    let narrowed = draft.checks[kind.rawValue].remove(at: narrow)
    append(.wholeSeconds, slot, operand: Int(narrowed.operand), rule: narrowed.rule, kind)
  }
}

extension RuleProgram.Check {
  fileprivate func isFormat(_ format: StringFormat, _ slot: UInt16) -> Bool {
    self.slot == slot && (operation == .format || operation == .wholeSeconds) && operand == Int32(format.rawValue)
  }
}
