import JSONEvents
import Rules

/// Chooses the fields that are unique in every record.
extension PlanCompiler {
  /// The rules of a collection about its records.
  struct ItemRules {
    var keys: [Schema.UniqueKey] = []
    var references: [Schema.ForeignKey] = []
    var orders: [Schema.SortOrder] = []
    var collection: Int32 = -1
    /// The minimum and maximum counts of the array's `contains` alternatives.
    var contains: [(minimum: Int, maximum: Int?)] = []
  }

  /// Returns the fields to make unique: for each key, the field for which that is easiest.
  func uniqueFields(of branch: Conjunction, _ items: ItemRules) -> Set<String> {
    var unique: Set<String> = []
    let referring = Set(items.references.flatMap { $0.fields.map(\.fieldText) })
    for key in items.keys where !key.fields.contains(where: { unique.contains($0.fieldText) }) {
      let best = key.fields.filter { $0.count == 1 }.max { ease($0[0], branch, referring) < ease($1[0], branch, referring) }
      if let best { unique.insert(best[0]) }
    }
    return unique
  }

  private func ease(_ field: String, _ branch: Conjunction, _ referring: Set<String>) -> Int {
    guard let alternative = branch.shape(ofMember: field).alternatives.first(where: { $0.types != .null }) else { return 0 }
    if referring.contains(field) { return 1 }
    if alternative.values != nil || alternative.types == .boolean { return 0 }
    if alternative.formats.contains(.uuid) { return 5 }
    if alternative.formats.contains(where: \.isTemporal) { return 3 }
    if alternative.types.contains(.number) { return 4 }
    return 2
  }

  /// Returns the number of distinct values of a generator for a unique field.
  func capacity(of generator: Int32) -> Int {
    switch plan.generators[Int(generator)] {
    case .distinct(let pool): return pool.count
    case .number(let index):
      let number = plan.numbers[Int(index)]
      let span = Int(number.isSequence ? (number.hardHigh - number.low) / number.step / number.stride : number.high - number.low)
      return max(1, span + (number.isSequence && number.stride == 1 ? 1 : 0))
    case .choice(let choices): return choices.map { capacity(of: plan.choices[Int($0)]) }.min() ?? .max
    default: return .max
    }
  }
}
