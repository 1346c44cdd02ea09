/// How many records stand in each collection of a backup.
public struct RecordCounts: Sendable, Hashable {
  public let cars: Int
  public let delayedNotifications: Int
  public let documents: Int
  public let expenses: Int
  public let ideas: Int
  public let plannedMaintenance: Int

  /// The fewest expenses of a sensible backup: a first one for each of three cars, and some of each type.
  static let fewestExpenses = 8

  /// The other collections in due proportion. Three cars make one each of: hybrid, electric, and one to carry a defect.
  init(expenses: Int) {
    self.expenses = expenses
    cars = max(3, expenses / 2000)
    plannedMaintenance = max(2, expenses / 200)
    delayedNotifications = max(2, expenses / 400)
    documents = max(2, expenses / 1000)
    ideas = max(2, expenses / 1000)
  }

  /// Counts out of proportion, for tests: small documents in which every collection is large enough for defects.
  package init(cars: Int, others: Int, expenses: Int) {
    self.cars = cars
    self.expenses = expenses
    (plannedMaintenance, delayedNotifications, documents, ideas) = (others, others, others, others)
  }

  public var total: Int { cars + delayedNotifications + documents + expenses + ideas + plannedMaintenance }

  subscript(member: RootMember) -> Int {
    switch member {
    case .cars: cars
    case .delayedNotifications: delayedNotifications
    case .documents: documents
    case .expenses: expenses
    case .ideas: ideas
    case .metadata, .userSettings: 1
    case .plannedMaintenance: plannedMaintenance
    }
  }
}
