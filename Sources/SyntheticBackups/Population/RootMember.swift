/// A member of the document's root object, named as the document names it.
enum RootMember: String, CaseIterable, Sendable {
  case cars, delayedNotifications, documents, expenses, ideas, metadata, plannedMaintenance, userSettings

  /// Sorted, as the app writes its keys.
  static let sorted = allCases

  /// An array of records, and not a single object.
  var isCollection: Bool { self != .metadata && self != .userSettings }

  var key: StaticString {
    switch self {
    case .cars: "cars"
    case .delayedNotifications: "delayedNotifications"
    case .documents: "documents"
    case .expenses: "expenses"
    case .ideas: "ideas"
    case .metadata: "metadata"
    case .plannedMaintenance: "plannedMaintenance"
    case .userSettings: "userSettings"
    }
  }

  /// Tells the random sources of the members apart. Part of what a seed means: never renumber.
  var stream: UInt64 {
    switch self {
    case .cars: 1
    case .delayedNotifications: 2
    case .documents: 3
    case .expenses: 4
    case .ideas: 5
    case .metadata: 6
    case .plannedMaintenance: 7
    case .userSettings: 8
    }
  }
}
