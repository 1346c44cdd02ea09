import ByteStreams
import JSONEvents

/// Bounds of numbers, and their divisors.
extension Keyword {
  static let numbers: [Keyword] = [
    Keyword("minimum", .validation) { _, member, reader throws(CofferError) in
      try reader.numericBound(try reader.excludes("exclusiveMinimum") ? .moreThan : .atLeast, member.value)
    },
    Keyword("maximum", .validation) { _, member, reader throws(CofferError) in
      try reader.numericBound(try reader.excludes("exclusiveMaximum") ? .lessThan : .atMost, member.value)
    },
    Keyword("exclusiveMinimum", .validation) { _, member, reader throws(CofferError) in
      try reader.exclusiveBound(.moreThan, member)
    },
    Keyword("exclusiveMaximum", .validation) { _, member, reader throws(CofferError) in
      try reader.exclusiveBound(.lessThan, member)
    },
    Keyword("multipleOf", .validation) { _, member, reader throws(CofferError) in
      .multipleOf(try reader.divisor(member.value))
    },
  ]
}

extension KeywordReader {
  func numericBound(_ comparison: Comparison, _ value: RuleValue) throws(CofferError) -> Schema.Assertion {
    if let data = try dataReference(value) { return .bound(comparison, .data(data)) }
    return .bound(comparison, .number(try decimal(value)))
  }

  /// Returns whether a bound is exclusive: in draft 4, a boolean in the same schema says so.
  func excludes(_ name: String) throws(CofferError) -> Bool {
    guard dialect.edition == .draft4, let value = schema[name] else { return false }
    guard let boolean = value.boolean else {
      let bound = name == "exclusiveMinimum" ? "minimum" : "maximum"
      throw value.error("in draft 4, \(name) must be true or false, beside \(bound)")
    }
    return boolean
  }

  /// Reads a bound of its own: since draft 6, `exclusiveMinimum` and `exclusiveMaximum` are numbers.
  fileprivate func exclusiveBound(
    _ comparison: Comparison, _ member: RuleValue.Member
  ) throws(CofferError) -> Schema.Assertion? {
    if dialect.edition == .draft4 {
      _ = try excludes(member.key)
      return nil
    }
    guard member.value.boolean != nil else { return try numericBound(comparison, member.value) }
    let draft4 = "http://json-schema.org/draft-04/schema#"
    let hint = dialect.hasVocabulary ? "; for draft 4, add \"$schema\": \"\(draft4)\"" : ""
    throw member.value.error("since draft 6, \(member.key) is itself the bound, a number\(hint)")
  }

  func decimal(_ value: RuleValue) throws(CofferError) -> ExactDecimal {
    let decimal = try value.expectNumber()
    guard decimal.exponent.magnitude < 1 << 39 else {
      throw value.error("the exponent is too large (limit: about 10 to the power of 11)")
    }
    return decimal
  }

  func divisor(_ value: RuleValue) throws(CofferError) -> ExactDecimal {
    let divisor = try decimal(value)
    guard !divisor.isZero, !divisor.isNegative else { throw value.error("multipleOf must be more than 0") }
    // No real divisor is that long.
    guard divisor.digitCount <= 18 else { throw value.error("multipleOf has more than 18 digits") }
    return divisor
  }
}

extension Keyword.Rule {
  static func bound(_ comparison: Comparison, _ operand: Schema.NumericOperand) -> Keyword.Rule {
    switch operand {
    case .number(let bound):
      Keyword.Rule(
        .number, limit: Limit(measure: .number, comparison: comparison, value: .number(bound)),
        // Bounds beyond all realistic numbers are not listed.
        words: { _ in bound.side == 0 ? "\(comparison.words) \(bound)" : nil },
        add: { adder, keyword, slot in
          adder.append(
            .numericBound, slot, comparison, operand: adder.constant(bound, in: \.decimals),
            rule: adder.rule(keyword, "\(comparison.words) \(bound)"), .number)
        })
    case .data(let data):
      Keyword.Rule(.number, data: [data], words: { _ in "\(comparison.words) the value of \(data.words)" }) {
        adder, keyword, slot in
        adder.append(
          .numericData, slot, comparison, operand: adder.dataOperand(data, nil, keyword, slot),
          rule: adder.rule(keyword, "\(comparison.words) \(data.name)"), .number)
      }
    }
  }

  static func multiple(of divisor: ExactDecimal) -> Keyword.Rule {
    Keyword.Rule(.number, words: { _ in "a multiple of \(divisor)" }) { adder, keyword, slot in
      adder.append(slot, rule: adder.rule(keyword, "a multiple of \(divisor)"), .number) {
        ExactDecimal($0.text)?.isMultiple(of: divisor) ?? false
      }
    }
  }
}
