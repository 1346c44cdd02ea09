/// A member that a record gets in the place of its own, or instead of none.
struct PlantedMember: Sendable {
  let name: String
  /// `nil`: the member is left out.
  let value: Value?

  enum Value: Sendable {
    case string(String)
    /// A number, a boolean or `null`, as JSON spells it.
    case token(String)

    /// What stands in the document, without a string's quotes and escapes.
    var text: String {
      switch self {
      case .string(let text), .token(let text): text
      }
    }
  }
}

extension PlantedMember {
  /// - Parameter anchor: the record's own value that the planted one is to be measured by.
  init(_ variant: DefectVariant, at index: Int, anchor: Int, of population: Population) {
    var random = population.random(variant.member, at: index, for: .defect)
    name = variant.field
    value = Self.value(variant, at: index, anchor: anchor, of: population, from: &random)
  }

  private static func value(
    _ variant: DefectVariant, at index: Int, anchor: Int, of population: Population, from random: inout RandomSource
  ) -> Value? {
    switch variant.change {
    case .missing:
      return nil
    case .string(let choices):
      return .string(random.pick(choices))
    case .token(let choices):
      return .token(random.pick(choices))
    case .negativeInteger:
      return .token("-\(random.within(1...9999))")
    case .negativeDecimal:
      return .token("-\(random.within(0...99)).\(random.within(1...9))")
    case .negativeCost:
      return .string("-\(random.within(0...99)).\(random.within(1...9))")
    case .positiveDecimal:
      return .token("\(random.within(5...60)).\(random.within(1...9))")
    case .futureDate:
      let century = Timestamp(year: 2090, month: 1, day: 1)
      return .string((century + random.below(Timestamp(year: 2100, month: 1, day: 1) - century)).text)
    case .integerBelowAnchor:
      return .token("\(anchor - random.within(1...900))")
    case .dateBelowAnchor:
      return .string((Timestamp(seconds: anchor) - random.within(1...30 * Timestamp.secondsPerDay)).text)
    case .missingID(let member):
      return .token("\(population.missingID(member, from: &random))")
    case .earlierID:
      let earlier = population.original(variant.member, ofDuplicateAt: index)
      return .token("\(population.id(variant.member, at: earlier))")
    case .earlierNotificationIdentifier:
      let earlier = population.original(variant.member, ofDuplicateAt: index)
      return .string(population.notificationIdentifier(at: earlier).text)
    case .otherCar:
      return .token("\(population.id(.cars, at: population.otherCar(than: anchor, from: &random)))")
    }
  }
}
