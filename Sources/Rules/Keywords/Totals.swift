import ByteStreams
import JSONEvents

/// Numbers that count the items of an array, or sum values: `countOf`, `sumOf`.
extension Keyword {
  static let totals: [Keyword] = [
    Keyword("countOf", .coffer) { _, member, reader throws(CofferError) in
      .countOf(try reader.resource(member.value, allowsWildcard: false))
    },
    Keyword("sumOf", .coffer) { _, member, reader throws(CofferError) in .sumOf(try reader.sum(member.value)) },
  ]
}

extension KeywordReader {
  fileprivate func sum(_ value: RuleValue) throws(CofferError) -> Schema.Sum {
    try value.checkMembers(known: ["values", "tolerance"])
    guard let values = value["values"], let text = values.string else {
      throw value.error("sumOf needs values: the place of the numbers, such as \"/expenses/*/amount\"")
    }
    var sum = Schema.Sum(values: try keyResource(values), text: text)
    if let tolerance = value["tolerance"] {
      guard let text = tolerance.string ?? tolerance.number, let decimal = ExactDecimal(text), !decimal.isNegative,
        ExactSum.reaches(decimal)
      else {
        throw tolerance.error("tolerance must be a non-negative decimal, such as \"0.01\"")
      }
      sum.tolerance = decimal
    }
    return sum
  }
}

extension Keyword.Rule {
  static func count(of place: [String]) -> Keyword.Rule {
    let words = "the number of items of " + place.pointer
    return Keyword.Rule(
      .number, places: [place], words: { _ in words }, request: { locations, _ in _ = locations.countIndex(of: place) },
      add: { adder, keyword, slot throws(CofferError) in
        try adder.refuseInBranches(keyword, slot)
        adder.addTotal(.count, adder.compiler.locations.countIndex(of: place), adder.rule(keyword, words), slot)
      })
  }

  static func sum(_ sum: Schema.Sum) -> Keyword.Rule {
    var places: [[String]] = []
    if case .root(let tokens) = sum.values { places = [tokens] }
    return Keyword.Rule(
      .number, places: places,
      words: { _ in "the sum of \(sum.words)" + (sum.tolerance.map { ", within \($0)" } ?? "") },
      request: { locations, _ in _ = locations.aggregate(.sum, of: sum.values) },
      add: { adder, keyword, slot throws(CofferError) in
        try adder.refuseInBranches(keyword, slot)
        let operand = adder.aggregate(.sum, sum.values, sum.tolerance, keyword, slot)
        adder.addTotal(.sum, operand, adder.rule(keyword, "the sum of \(sum.words)"), slot)
      })
  }
}

extension KeywordAdder {
  /// Compares a number or a decimal string with a total. Null, for a missing value, passes; values of other types fail.
  fileprivate func addTotal(_ operation: RuleProgram.Operation, _ operand: Int, _ rule: Int32, _ slot: UInt16) {
    for kind in [JSONKind.number, .string] { append(operation, slot, operand: operand, rule: rule, kind) }
    for kind in [JSONKind.boolean, .array, .object] { append(.never, slot, rule: rule, kind) }
  }
}
