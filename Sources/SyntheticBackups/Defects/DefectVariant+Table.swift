extension DefectVariant {
  /// Every variant of every kind. N defects of a kind take its variants in turn, in this order, so the plainest come first.
  ///
  /// What keeps a variant from causing a second finding:
  /// - The first record of a collection and neighbours of a defect carry none; references point only at sound records.
  /// - A missing or malformed value leaves comparisons and references of that value without a case, so no field is taken here that
  ///   another rule needs to be there (`expenseType`, mileages, `updatedAt` beside `createdAt`).
  /// - A broken `carType` is planted in electric cars alone, to which no fuel expense refers.
  static let all: [DefectVariant] =
    required + type + format + enumeration + range + order + future + consistency + reference + duplicate + version + unknown
    + dialect

  private static let required = [
    DefectVariant(.required, .expenses, "currency", .missing),
    DefectVariant(.required, .cars, "name", .missing),
    DefectVariant(.required, .plannedMaintenance, "notes", .missing),
    DefectVariant(.required, .delayedNotifications, "notificationId", .missing),
    DefectVariant(.required, .documents, "fileName", .missing),
    DefectVariant(.required, .ideas, "title", .missing),
    DefectVariant(.required, .expenses, "date", .missing),
    DefectVariant(.required, .cars, "expenseCurrency", .missing),
    DefectVariant(.required, .plannedMaintenance, "createdAt", .missing),
    DefectVariant(.required, .delayedNotifications, "when", .missing),
    DefectVariant(.required, .documents, "fileSize", .missing),
    DefectVariant(.required, .expenses, "energyCharged", .missing),
    DefectVariant(.required, .expenses, "chargerType", .missing),
    DefectVariant(.required, .expenses, "odometer", .missing),
    DefectVariant(.required, .expenses, "notes", .missing),
    DefectVariant(.required, .expenses, "isInitialRecord", .missing),
    DefectVariant(.required, .userSettings, "preferredLanguage", .missing),
  ]

  private static let type = [
    DefectVariant(.type, .expenses, "cost", .token(["24.5", "9.42", "1e3"])),
    DefectVariant(.type, .cars, "selectedForTracking", .token(["0", "1"])),
    DefectVariant(.type, .plannedMaintenance, "name", .token(["42", "false"])),
    DefectVariant(.type, .delayedNotifications, "when", .token(["1782676800", "804369600.5"])),
    DefectVariant(.type, .documents, "fileSize", .string(["182340", "1 MB"])),
    DefectVariant(.type, .ideas, "title", .token(["null", "true"])),
    DefectVariant(.type, .expenses, "energyCharged", .string(["31.4", "0"])),
    DefectVariant(.type, .cars, "batteryCapacity", .string(["58.5", "77 kWh"])),
    DefectVariant(.type, .expenses, "odometer", .token(["18250.5", "false"])),
    DefectVariant(.type, .expenses, "isInitialRecord", .string(["true", "no"])),
    DefectVariant(.type, .expenses, "notes", .token(["null", "0"])),
  ]

  private static let format = [
    DefectVariant(.format, .expenses, "date", .string(unreadableDates)),
    DefectVariant(.format, .expenses, "cost", .string(unreadableCosts)),
    DefectVariant(.format, .cars, "milleageSyncedAt", .string(unreadableDates)),
    DefectVariant(.format, .plannedMaintenance, "when", .string(unreadableDates)),
    DefectVariant(.format, .delayedNotifications, "createdAt", .string(unreadableDates)),
    DefectVariant(.format, .cars, "createdAt", .string(unreadableDates)),
    DefectVariant(.format, .plannedMaintenance, "createdAt", .string(unreadableDates)),
    DefectVariant(.format, .delayedNotifications, "when", .string(unreadableDates)),
  ]

  private static let unreadableDates = [
    "2026-02-30T08:00:00Z", "2025-06-31T12:30:00Z", "2026-13-01T00:00:00Z", "2026-05-04T25:00:00Z", "27.06.2026", "2026-06-27",
  ]
  private static let unreadableCosts = ["12,50", "nan", "inf", "1.2.3", "24.0 €", "free"]

  private static let enumeration = [
    DefectVariant(.enumeration, .expenses, "currency", .string(["EUR", "USD", "£$"])),
    DefectVariant(.enumeration, .cars, "expenseCurrency", .string(["KZT", "€ "])),
    DefectVariant(.enumeration, .expenses, "chargerType", .string(["home7kW", "Home (7 kW)"])),
    DefectVariant(.enumeration, .cars, "carType", .string(["diesel", "Electric"])),
    DefectVariant(.enumeration, .expenses, "expenseType", .string(["parking", "Charging"])),
    DefectVariant(.enumeration, .cars, "measurementSystem", .string(["nautical", "Metric"])),
    DefectVariant(.enumeration, .expenses, "fuelType", .string(["97", "E10"]), expense: .fuel),
    DefectVariant(.enumeration, .userSettings, "preferredCurrency", .string(["EUR"])),
  ]

  private static let range = [
    DefectVariant(.range, .expenses, "energyCharged", .negativeDecimal),
    DefectVariant(.range, .expenses, "cost", .negativeCost),
    DefectVariant(.range, .plannedMaintenance, "odometer", .negativeInteger),
    DefectVariant(.range, .documents, "fileSize", .negativeInteger),
    DefectVariant(.range, .expenses, "odometer", .negativeInteger),
    DefectVariant(.range, .cars, "initialMileage", .negativeInteger),
  ]

  private static let order = [
    DefectVariant(.order, .cars, "currentMileage", .integerBelowAnchor),
    DefectVariant(.order, .documents, "updatedAt", .dateBelowAnchor),
    DefectVariant(.order, .ideas, "updatedAt", .dateBelowAnchor),
  ]

  private static let future = [
    DefectVariant(.future, .expenses, "date", .futureDate),
    DefectVariant(.future, .cars, "createdAt", .futureDate),
  ]

  private static let consistency = [
    DefectVariant(.consistency, .expenses, "fuelVolume", .missing, expense: .fuel),
    DefectVariant(.consistency, .expenses, "fuelVolume", .positiveDecimal),
    DefectVariant(.consistency, .expenses, "expenseType", .string(["fuel"]), expense: .fuelOfElectricCar),
    DefectVariant(.consistency, .delayedNotifications, "carId", .otherCar),
  ]

  private static let reference = [
    DefectVariant(.reference, .expenses, "carId", .missingID(of: .cars)),
    DefectVariant(.reference, .delayedNotifications, "maintenanceRecord", .missingID(of: .plannedMaintenance)),
    DefectVariant(.reference, .plannedMaintenance, "carId", .missingID(of: .cars)),
    DefectVariant(.reference, .documents, "carId", .missingID(of: .cars)),
    DefectVariant(.reference, .ideas, "carId", .missingID(of: .cars)),
  ]

  private static let duplicate = [
    DefectVariant(.duplicate, .expenses, "id", .earlierID),
    DefectVariant(.duplicate, .plannedMaintenance, "id", .earlierID),
    DefectVariant(.duplicate, .delayedNotifications, "notificationId", .earlierNotificationIdentifier),
    DefectVariant(.duplicate, .documents, "id", .earlierID),
    DefectVariant(.duplicate, .ideas, "id", .earlierID),
  ]

  private static let version = [
    DefectVariant(.version, .metadata, "databaseSchemaVersion", .token(["10"]))
  ]

  /// Each field sorts behind those of its record.
  private static let unknown = [
    DefectVariant(.unknown, .expenses, "weather", .string(["sunny", "дождь", "snow/ice"])),
    DefectVariant(.unknown, .cars, "vin", .string(["WVWZZZ1KZAW000001"])),
    DefectVariant(.unknown, .plannedMaintenance, "workshop", .string(["Main St. 1/2"])),
    DefectVariant(.unknown, .delayedNotifications, "widget", .string(["large"])),
    DefectVariant(.unknown, .documents, "vaultFolder", .string(["papers/2026"])),
    DefectVariant(.unknown, .ideas, "votes", .string(["three"])),
    DefectVariant(.unknown, .userSettings, "theme", .string(["dark"])),
  ]

  private static let dialect = [
    DefectVariant(.dialect, .plannedMaintenance, "scheduledDate", .string(["2026-09-01T08:00:00Z"]))
  ]
}
