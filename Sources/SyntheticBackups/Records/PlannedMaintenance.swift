struct PlannedMaintenance: SyntheticRecord {
  static let member = RootMember.plannedMaintenance

  private let id: Int
  private let carID: Int
  private let createdAt: Timestamp
  private let name: StaticString
  private let notes: Phrase
  private let odometer: OptionalMember<Int>
  private let when: OptionalMember<Timestamp>

  init(at index: Int, of population: Population, defect: DefectVariant?) {
    var random = population.random(.plannedMaintenance, at: index)
    id = population.id(.plannedMaintenance, at: index)
    // A record with another's id has that one's car too: whichever of the two a notification finds, the cars agree.
    let isDuplicate = defect?.kind == .duplicate
    let origin = isDuplicate ? population.original(.plannedMaintenance, ofDuplicateAt: index) : index
    let car = population.car(at: population.car(ofMaintenance: origin))
    carID = car.id
    createdAt = Timestamp.reference - random.within(1...400 * Timestamp.secondsPerDay)
    name = random.pick(Names.maintenance)
    notes = Notes.drawn(from: &random)
    let mileage = car.currentMileage + random.within(100...20_000)
    // Up to a year ahead, and some overdue.
    let date = Timestamp.reference + (random.within(-30...365) * Timestamp.secondsPerDay + random.within(0...47) * 1800)
    // At least one of the two is always there; a defect in one leaves the other.
    if defect != nil || random.chance(55) {
      (when, odometer) = (.value(date), .value(mileage))
    } else if random.chance(60) {
      when = .value(date)
      odometer = OptionalMember(0, from: &random) { _ in mileage }
    } else {
      when = OptionalMember(0, from: &random) { _ in date }
      odometer = .value(mileage)
    }
  }

  func write(to record: inout RecordWriter) {
    record.integer("carId", carID)
    record.date("createdAt", createdAt)
    record.integer("id", id)
    record.string("name", name)
    record.string("notes", notes)
    record.optional("odometer", odometer) { $0.integer($1, $2) }
    record.absent("scheduledDate")
    record.optional("when", when) { $0.date($1, $2) }
    record.absent("workshop")
  }
}
