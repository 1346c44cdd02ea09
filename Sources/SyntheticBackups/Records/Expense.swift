struct Expense: SyntheticRecord {
  static let member = RootMember.expenses

  private enum Purpose {
    /// The first row of a car, made together with it.
    case initial
    case charging
    case fuel
    case other(StaticString)

    var text: StaticString {
      switch self {
      case .initial: "other"
      case .charging: "charging"
      case .fuel: "fuel"
      case .other(let text): text
      }
    }
  }

  private struct Fuel {
    let type: StaticString
    let volume: Decimal
  }

  private static let firstDate = Timestamp(year: 2023, month: 1, day: 1)

  private let id: Int
  private let carID: Int
  private let purpose: Purpose
  private let date: Timestamp
  private let chargerType: StaticString
  private let energy: Decimal
  private let fuel: Fuel?
  private let cost: OptionalMember<Decimal>
  private let currency: StaticString
  private let notes: Phrase
  private let odometer: Int

  init(at index: Int, of population: Population, defect: DefectVariant?) {
    var random = population.random(.expenses, at: index)
    let isInitial = index < population.counts.cars && defect == nil
    let car = population.car(at: isInitial ? index : Self.car(for: defect?.expense, of: population, from: &random))
    let purpose = isInitial ? .initial : Self.purpose(for: defect?.expense, isHybrid: car.isHybrid, from: &random)

    id = population.id(.expenses, at: index)
    carID = car.id
    self.purpose = purpose
    date = isInitial ? car.createdAt : Self.date(at: index, of: population, from: &random)
    odometer = car.odometer(at: date)
    // One expense in thirty is paid abroad.
    let currency = random.chance(3) ? random.pick(Currency.all) : car.currency
    self.currency = currency.symbol

    switch purpose {
    case .charging:
      chargerType = ChargerType.drawn(from: &random)
      let energy = Self.energy(from: &random)
      self.energy = energy
      fuel = nil
      let price = random.within(15...75) * currency.scale
      cost = OptionalMember(95, from: &random) { _ in Self.cost(hundredths: energy.hundredths * price / 100, in: currency) }
    case .fuel:
      chargerType = ChargerType.other
      energy = .zero
      let volume = Decimal(hundredths: random.within(500...6000))
      fuel = Fuel(type: random.pick(["92", "95", "98", "100"]), volume: volume)
      let price = random.within(110...190) * currency.scale
      cost = .value(Self.cost(hundredths: volume.hundredths * price / 100, in: currency))
    case .initial, .other:
      chargerType = ChargerType.other
      energy = .zero
      fuel = nil
      cost = OptionalMember(95, from: &random) { Self.cost(hundredths: $0.within(200...40_000) * currency.scale, in: currency) }
    }
    notes = Notes.drawn(from: &random)
  }

  private static func car(for role: ExpenseRole?, of population: Population, from random: inout RandomSource) -> Int {
    switch role {
    case .fuel: population.hybridCar(from: &random)
    case .fuelOfElectricCar: population.soundElectricCar(from: &random)
    case .charging, nil: random.below(population.counts.cars)
    }
  }

  private static func purpose(for role: ExpenseRole?, isHybrid: Bool, from random: inout RandomSource) -> Purpose {
    switch role {
    case .fuel, .fuelOfElectricCar: return .fuel
    case .charging: return .charging
    case nil: break
    }
    if isHybrid, random.chance(40) { return .fuel }
    if random.chance(75) { return .charging }
    return .other(random.pick(["maintenance", "repair", "carwash", "carwash", "other"]))
  }

  /// Dates ascend over the years up to the backup, as expenses are noted.
  private static func date(at index: Int, of population: Population, from random: inout RandomSource) -> Timestamp {
    let span = Timestamp.reference - firstDate - Timestamp.secondsPerDay
    let step = span / population.counts.expenses
    return firstDate + (span * index / population.counts.expenses + random.below(max(1, step)))
  }

  /// Kilowatt-hours: mostly tenths, some whole, some hundredths.
  private static func energy(from random: inout RandomSource) -> Decimal {
    let hundredths = random.within(300...9000)
    switch random.below(10) {
    case 0: return Decimal(hundredths: hundredths / 100 * 100)
    case 1, 2: return Decimal(hundredths: hundredths)
    default: return Decimal(hundredths: hundredths / 10 * 10)
    }
  }

  /// Where money comes in hundreds, nobody writes hundredths.
  private static func cost(hundredths: Int, in currency: Currency) -> Decimal {
    Decimal(hundredths: currency.scale >= 30 ? hundredths / 100 * 100 : hundredths)
  }

  func write(to record: inout RecordWriter) {
    record.integer("carId", carID)
    record.string("chargerType", chargerType)
    record.optional("cost", cost) { $0.cost($1, $2) }
    record.string("currency", currency)
    record.date("date", date)
    record.number("energyCharged", energy)
    record.string("expenseType", purpose.text)
    if let fuel {
      record.string("fuelType", fuel.type)
      record.number("fuelVolume", fuel.volume)
    } else {
      record.absent("fuelVolume")
    }
    record.integer("id", id)
    if case .initial = purpose {
      record.boolean("isInitialRecord", true)
    } else {
      record.boolean("isInitialRecord", false)
    }
    record.string("notes", notes)
    record.integer("odometer", odometer)
    record.absent("weather")
  }
}
