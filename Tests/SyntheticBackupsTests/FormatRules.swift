import Foundation

/// The rules of schema 9, written a second time in plain Swift, which finds all violations.
///
/// A finding is `code pointer`, as in the ledger.
struct FormatRules {
  private(set) var findings: [String] = []
  private let root: JSONValue
  private var cars: [Decimal: JSONValue] = [:]

  /// The reference time: "now" is the time of the backup.
  private static let latest = "2026-06-29T20:15:00Z"

  static func findings(in root: JSONValue) -> [String] {
    var rules = FormatRules(root: root)
    rules.check()
    return rules.findings
  }

  private init(root: JSONValue) { self.root = root }

  private enum Shape {
    case text, date, cost, number, integer, boolean
    case oneOf([String])
  }

  private struct Field {
    var shape: Shape
    var isRequired = true
    var isNegativeAllowed = false
    var mustBePast = false
  }

  private static let currencies = ["$", "₸", "€", "Br", "₴", "₽", "₺", "Dh", "SR", "£", "¥", "₹", "CN¥"]
  private static let chargers = [
    "Home (3kW)", "Home (7kW)", "Home (11kW)", "Destination (22kW)", "Public Fast (50kW)", "Public Rapid (100kW)",
    "Supercharger V2 (150kW)", "Supercharger V3 (250kW)", "Supercharger V4 (350kW)", "Other",
  ]

  private static let carFields: [String: Field] = [
    "id": Field(shape: .integer), "name": Field(shape: .text), "selectedForTracking": Field(shape: .boolean),
    "batteryCapacity": Field(shape: .number, isRequired: false), "expenseCurrency": Field(shape: .oneOf(currencies)),
    "currentMileage": Field(shape: .integer), "initialMileage": Field(shape: .integer),
    "milleageSyncedAt": Field(shape: .date, mustBePast: true), "createdAt": Field(shape: .date, mustBePast: true),
    "frontWheelSize": Field(shape: .text, isRequired: false), "rearWheelSize": Field(shape: .text, isRequired: false),
    "measurementSystem": Field(shape: .oneOf(["metric", "imperial"])), "carType": Field(shape: .oneOf(["electric", "hybrid"])),
  ]
  private static let expenseFields: [String: Field] = [
    "id": Field(shape: .integer), "date": Field(shape: .date, mustBePast: true), "energyCharged": Field(shape: .number),
    "chargerType": Field(shape: .oneOf(chargers)), "odometer": Field(shape: .integer),
    "cost": Field(shape: .cost, isRequired: false),
    "notes": Field(shape: .text), "isInitialRecord": Field(shape: .boolean),
    "expenseType": Field(shape: .oneOf(["charging", "maintenance", "repair", "carwash", "other", "fuel"])),
    "currency": Field(shape: .oneOf(currencies)), "carId": Field(shape: .integer),
    "fuelType": Field(shape: .oneOf(["92", "95", "98", "100"]), isRequired: false),
    "fuelVolume": Field(shape: .number, isRequired: false),
  ]
  private static let maintenanceFields: [String: Field] = [
    "id": Field(shape: .integer), "carId": Field(shape: .integer), "name": Field(shape: .text), "notes": Field(shape: .text),
    "when": Field(shape: .date, isRequired: false), "odometer": Field(shape: .integer, isRequired: false),
    "createdAt": Field(shape: .date),
  ]
  private static let notificationFields: [String: Field] = [
    "id": Field(shape: .integer), "when": Field(shape: .date), "notificationId": Field(shape: .text),
    "maintenanceRecord": Field(shape: .integer, isRequired: false), "carId": Field(shape: .integer),
    "createdAt": Field(shape: .date),
  ]
  private static let documentFields: [String: Field] = [
    "id": Field(shape: .integer), "carId": Field(shape: .integer), "customTitle": Field(shape: .text, isRequired: false),
    "fileName": Field(shape: .text), "fileType": Field(shape: .text), "fileSize": Field(shape: .integer),
    "createdAt": Field(shape: .date, mustBePast: true), "updatedAt": Field(shape: .date, mustBePast: true),
  ]
  private static let ideaFields: [String: Field] = [
    "id": Field(shape: .integer), "carId": Field(shape: .integer), "title": Field(shape: .text),
    "url": Field(shape: .text, isRequired: false), "descriptionText": Field(shape: .text, isRequired: false),
    "createdAt": Field(shape: .date, mustBePast: true), "updatedAt": Field(shape: .date, mustBePast: true),
  ]
  private static let metadataFields: [String: Field] = [
    "createdAt": Field(shape: .date, mustBePast: true), "appVersion": Field(shape: .text), "deviceName": Field(shape: .text),
    "databaseSchemaVersion": Field(shape: .integer),
  ]
  private static let settingsFields: [String: Field] = [
    "preferredCurrency": Field(shape: .oneOf(currencies)),
    "preferredLanguage": Field(shape: .oneOf(["en", "de", "ru", "kk", "tr", "uk", "zh-Hans"])),
  ]

  private mutating func report(_ code: String, _ pointer: String) { findings.append("\(code) \(pointer)") }

  private mutating func check() {
    for (name, fields) in [("metadata", Self.metadataFields), ("userSettings", Self.settingsFields)] {
      if let object = root[name] { check(object, fields, at: "/\(name)") } else { report("required", "/\(name)") }
    }
    if let version = root.value(at: "/metadata/databaseSchemaVersion")?.number, version > 9 {
      report("version", "/metadata/databaseSchemaVersion")
    }
    if let text = root.value(at: "/metadata/appVersion")?.string, text.wholeMatch(of: /\d{4}\.\d+\.\d+( \(\d+\))?/) == nil {
      report("format", "/metadata/appVersion")
    }
    cars = Dictionary(
      (root["cars"]?.items ?? []).compactMap { car in car["id"]?.number.map { ($0, car) } }, uniquingKeysWith: { a, _ in a })
    for (name, fields) in [
      ("cars", Self.carFields), ("expenses", Self.expenseFields), ("plannedMaintenance", Self.maintenanceFields),
      ("delayedNotifications", Self.notificationFields), ("documents", Self.documentFields), ("ideas", Self.ideaFields),
    ] {
      guard let items = root[name]?.items else {
        report("required", "/\(name)")
        continue
      }
      for (index, item) in items.enumerated() { check(item, fields, at: "/\(name)/\(index)") }
      checkUnique(items, "id", code: "primary-key", in: name)
    }
    for (index, car) in (root["cars"]?.items ?? []).enumerated() { checkCar(car, at: "/cars/\(index)") }
    if (root["cars"]?.items ?? []).filter({ $0["selectedForTracking"] == .boolean(true) }).count != 1 {
      report("consistency", "/cars")
    }
    for (index, expense) in (root["expenses"]?.items ?? []).enumerated() { checkExpense(expense, at: "/expenses/\(index)") }
    checkPlans()
    for name in ["expenses", "plannedMaintenance", "delayedNotifications", "documents", "ideas"] {
      for (index, item) in (root[name]?.items ?? []).enumerated() {
        if let id = item["carId"]?.number, cars[id] == nil { report("foreign-key", "/\(name)/\(index)/carId") }
      }
    }
  }

  private mutating func check(_ object: JSONValue, _ fields: [String: Field], at pointer: String) {
    for (name, field) in fields {
      let pointer = "\(pointer)/\(name)"
      guard let value = object[name] else {
        if field.isRequired { report("required", pointer) }
        continue
      }
      if value == .null, !field.isRequired { continue }
      check(value, field, at: pointer)
    }
    for name in object.members.keys where fields[name] == nil {
      report(name == "scheduledDate" ? "dialect" : "unknown-field", "\(pointer)/\(name)")
    }
    if let created = object["createdAt"]?.string, let updated = object["updatedAt"]?.string, updated < created {
      report("order", "\(pointer)/updatedAt")
    }
  }

  private mutating func check(_ value: JSONValue, _ field: Field, at pointer: String) {
    switch (field.shape, value) {
    case (.text, .string(let text)):
      if ["name", "title", "fileName"].contains(where: pointer.hasSuffix), text.allSatisfy(\.isWhitespace) {
        report("pattern", pointer)
      }
      if pointer.hasSuffix("fileName"), text.contains(where: { "/\\".contains($0) }) { report("pattern", pointer) }
      if pointer.hasSuffix("url"), !text.hasPrefix("https://"), !text.hasPrefix("http://") { report("pattern", pointer) }
      if pointer.hasSuffix("notificationId"), UUID(uuidString: text)?.uuidString != text { report("format", pointer) }
    case (.oneOf(let texts), .string(let text)):
      if !texts.contains(text) { report("enum", pointer) }
    case (.date, .string(let text)):
      if !Self.isDate(text) {
        report("format", pointer)
      } else if field.mustBePast, text > Self.latest {
        report("format-maximum", pointer)
      }
    case (.cost, .string(let text)):
      if text.wholeMatch(of: /-?\d+\.\d+/) == nil {
        report("format", pointer)
      } else if text.hasPrefix("-") {
        report("format-minimum", pointer)
      }
    case (.number, .number(let number)):
      if number < 0 { report("minimum", pointer) }
    case (.integer, .number(let number)):
      if NSDecimalNumber(decimal: number).stringValue.contains(".") {
        report("type", pointer)
      } else if number < 0 {
        report("minimum", pointer)
      }
    case (.boolean, .boolean): break
    default: report("type", pointer)
    }
  }

  /// Returns whether the text has whole seconds, `Z`, and an existing day.
  static func isDate(_ text: String) -> Bool {
    guard let match = text.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z/),
      let year = Int(match.1), let month = Int(match.2), let day = Int(match.3), let hour = Int(match.4)
    else { return false }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return days.indices.contains(month - 1) && (1...days[month - 1]).contains(day) && hour < 24 && match.5 < "60"
      && match.6 < "60"
  }

  private mutating func checkUnique(_ items: [JSONValue], _ field: String, code: String, in name: String) {
    var seen: Set<String> = []
    for (index, item) in items.enumerated() {
      if let value = item[field], !seen.insert(value.text).inserted { report(code, "/\(name)/\(index)/\(field)") }
    }
  }

  private mutating func checkCar(_ car: JSONValue, at pointer: String) {
    if let initial = car["initialMileage"]?.number, let current = car["currentMileage"]?.number, current < initial {
      report("order", "\(pointer)/currentMileage")
    }
    if let capacity = car["batteryCapacity"]?.number, capacity <= 0 { report("exclusive-minimum", "\(pointer)/batteryCapacity") }
  }

  private mutating func checkExpense(_ expense: JSONValue, at pointer: String) {
    guard expense["expenseType"] == .string("fuel") else {
      for name in ["fuelType", "fuelVolume"] where expense[name] != nil { report("consistency", "\(pointer)/\(name)") }
      return
    }
    for name in ["fuelVolume", "fuelType", "cost"] where expense[name] == nil || expense[name] == .null {
      report("consistency", "\(pointer)/\(name)")
    }
    if let volume = expense["fuelVolume"]?.number, volume <= 0 { report("consistency", "\(pointer)/fuelVolume") }
    if let car = expense["carId"]?.number.flatMap({ cars[$0] }), car["carType"] != .string("hybrid") {
      report("consistency", "\(pointer)/expenseType")
    }
  }

  private mutating func checkPlans() {
    let plans = root["plannedMaintenance"]?.items ?? []
    for (index, plan) in plans.enumerated()
    where plan["when"]?.text ?? "null" == "null" && plan["odometer"]?.text ?? "null" == "null" {
      report("any-of", "/plannedMaintenance/\(index)")
    }
    let plansByID = Dictionary(grouping: plans) { $0["id"]?.number }
    let notifications = root["delayedNotifications"]?.items ?? []
    checkUnique(notifications, "notificationId", code: "unique-key", in: "delayedNotifications")
    for (index, notification) in notifications.enumerated() {
      guard let id = notification["maintenanceRecord"]?.number else { continue }
      if let found = plansByID[id] {
        // Any of several records with that id may be the target.
        if found.contains(where: { $0["carId"] != notification["carId"] }) {
          report("consistency", "/delayedNotifications/\(index)/carId")
        }
      } else {
        report("foreign-key", "/delayedNotifications/\(index)/maintenanceRecord")
      }
    }
  }
}
