/// The slots of every member of the root.
struct DefectSlots: Sendable {
  private let cars: SlotSpacing
  private let delayedNotifications: SlotSpacing
  private let documents: SlotSpacing
  private let expenses: SlotSpacing
  private let ideas: SlotSpacing
  private let metadata: SlotSpacing
  private let plannedMaintenance: SlotSpacing
  private let userSettings: SlotSpacing

  init(counts: RecordCounts, defects: (RootMember) -> Int) {
    func spacing(_ member: RootMember) -> SlotSpacing {
      SlotSpacing(records: counts[member], count: defects(member))
    }
    cars = spacing(.cars)
    delayedNotifications = spacing(.delayedNotifications)
    documents = spacing(.documents)
    expenses = spacing(.expenses)
    ideas = spacing(.ideas)
    metadata = spacing(.metadata)
    plannedMaintenance = spacing(.plannedMaintenance)
    userSettings = spacing(.userSettings)
  }

  subscript(member: RootMember) -> SlotSpacing {
    switch member {
    case .cars: cars
    case .delayedNotifications: delayedNotifications
    case .documents: documents
    case .expenses: expenses
    case .ideas: ideas
    case .metadata: metadata
    case .plannedMaintenance: plannedMaintenance
    case .userSettings: userSettings
    }
  }
}
