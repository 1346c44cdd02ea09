struct Car: SyntheticRecord {
  static let member = RootMember.cars

  private let profile: CarProfile
  private let batteryCapacity: OptionalMember<Decimal>
  private let frontWheelSize: OptionalMember<StaticString>
  private let rearWheelSize: OptionalMember<StaticString>
  private let measurementSystem: StaticString
  private let syncedAt: Timestamp
  private let name: StaticString
  private let isTracked: Bool

  init(at index: Int, of population: Population, defect: DefectVariant?) {
    var random = population.random(.cars, at: index)
    profile = population.car(at: index)
    batteryCapacity = OptionalMember(90, from: &random) { Decimal(hundredths: $0.within(80...1200) * 10) }
    frontWheelSize = OptionalMember(70, from: &random) { $0.pick(Names.wheels) }
    rearWheelSize = OptionalMember(60, from: &random) { $0.pick(Names.wheels) }
    measurementSystem = random.chance(85) ? "metric" : "imperial"
    syncedAt = Timestamp.reference - random.below(30 * Timestamp.secondsPerDay)
    name = random.pick(Names.cars)
    // The first car never carries a defect: whatever is planted, exactly one car is tracked.
    isTracked = index == 0
  }

  var anchor: Int { profile.initialMileage }

  func write(to record: inout RecordWriter) {
    record.optional("batteryCapacity", batteryCapacity) { $0.number($1, $2) }
    record.string("carType", profile.isHybrid ? "hybrid" : "electric")
    record.date("createdAt", profile.createdAt)
    record.integer("currentMileage", profile.currentMileage)
    record.string("expenseCurrency", profile.currency.symbol)
    record.optional("frontWheelSize", frontWheelSize) { $0.string($1, $2) }
    record.integer("id", profile.id)
    record.integer("initialMileage", profile.initialMileage)
    record.string("measurementSystem", measurementSystem)
    record.date("milleageSyncedAt", syncedAt)
    record.string("name", name)
    record.optional("rearWheelSize", rearWheelSize) { $0.string($1, $2) }
    record.boolean("selectedForTracking", isTracked)
    record.absent("vin")
  }
}
