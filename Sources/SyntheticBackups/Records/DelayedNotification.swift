struct DelayedNotification: SyntheticRecord {
  static let member = RootMember.delayedNotifications

  private let id: Int
  private let carIndex: Int
  private let carID: Int
  private let createdAt: Timestamp
  private let maintenanceRecord: OptionalMember<Int>
  private let identifier: NotificationIdentifier
  private let when: Timestamp

  init(at index: Int, of population: Population, defect: DefectVariant?) {
    var random = population.random(.delayedNotifications, at: index)
    id = population.id(.delayedNotifications, at: index)
    let maintenance = population.maintenance(ofNotification: index)
    carIndex = population.car(ofMaintenance: maintenance)
    carID = population.id(.cars, at: carIndex)
    let maintenanceID = population.id(.plannedMaintenance, at: maintenance)
    // A notification with a defect has its maintenance: without one, another car would be none.
    maintenanceRecord = defect == nil ? OptionalMember(92, from: &random) { _ in maintenanceID } : .value(maintenanceID)
    identifier = population.notificationIdentifier(at: index)
    createdAt = Timestamp.reference - random.within(1...300 * Timestamp.secondsPerDay)
    when = Timestamp.reference + (random.within(-30...365) * Timestamp.secondsPerDay + random.within(0...47) * 1800)
  }

  var anchor: Int { carIndex }

  func write(to record: inout RecordWriter) {
    record.integer("carId", carID)
    record.date("createdAt", createdAt)
    record.integer("id", id)
    record.optional("maintenanceRecord", maintenanceRecord) { $0.integer($1, $2) }
    record.identifier("notificationId", identifier)
    record.date("when", when)
    record.absent("widget")
  }
}
