/// One way in which a kind of defect shows itself: a field of a collection, and what is wrong with it.
struct DefectVariant: Sendable {
  let kind: DefectKind
  let member: RootMember
  let field: String
  let change: Change
  /// What the expense that carries the defect is for.
  let expense: ExpenseRole

  /// What stands in the field's place.
  enum Change: Sendable {
    case missing
    /// One of these strings.
    case string([String])
    /// One of these texts that are no strings: numbers, booleans, `null`.
    case token([String])
    case negativeInteger
    case negativeDecimal
    case negativeCost
    case positiveDecimal
    case futureDate
    /// A whole number, or a date, that lies below the record's anchor.
    case integerBelowAnchor
    case dateBelowAnchor
    /// The id of no record of that collection.
    case missingID(of: RootMember)
    /// The id of another record of the same collection, which stands before it.
    case earlierID
    case earlierNotificationIdentifier
    /// The id of a car that isn't the one at the anchor.
    case otherCar
  }

  /// An expense with a defect is never for fuel unless the defect is about fuel: what makes up a fuel expense (volume, cost, a hybrid
  /// car) is checked together, and a defect in one of them would show twice.
  init(_ kind: DefectKind, _ member: RootMember, _ field: String, _ change: Change, expense: ExpenseRole = .charging) {
    self.kind = kind
    self.member = member
    self.field = field
    self.change = change
    self.expense = expense
  }

  var code: String { kind.code(at: field) }
}

/// What an expense with a defect must be, for the defect to be one and the only one.
enum ExpenseRole: Sendable {
  case charging
  case fuel
  case fuelOfElectricCar
}
