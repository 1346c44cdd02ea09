import JSONEvents

/// The steps that rules take on a stretch of a document, beyond a few for each value, and the limit for them.
///
/// Rules can ask for days of work on 1 MB: branches in recursive rules, thousands of checks for each value, patterns that backtrack.
/// Such steps are counted: each takes a few nanoseconds, some a hundred. Each byte pays for some; what it doesn't pay for is a debt.
/// Evaluation ends when the debt exceeds a limit, so its time is proportional to the document's size. The page on rules has the
/// highest debts for public schemas.
///
///     debt      ╭╮     ╭──          steps raise it, bytes lower it, at most to 0
///          ╭────╯╰─────╯
///     ─────╯
///     document order ─▶
///
/// Budgets of consecutive stretches add up to the budget of both, however a document is sliced: if the debt is d before a
/// stretch, it is the greater of d + steps - paid and `debt` after it, and at most the greater of d + `rise` and `peak` in it.
struct StepBudget: Sendable, Equatable {
  /// The steps that a byte pays for.
  static let stepsPerByte = 500
  /// The highest debt.
  static let limit = 20_000_000
  /// The steps for a value that aren't counted.
  static let free = 256
  /// A few states with fewer steps each don't exceed that.
  static let small = (states: 4, steps: 64)
  /// The length of a text, in bytes, beyond which reading it takes steps.
  static let longText = 4096

  /// The offsets of the first and the last steps.
  private(set) var start = 0
  private(set) var end = 0
  /// The number of steps.
  private(set) var steps = 0
  /// The highest number of steps from the start to any point, less those paid for.
  private(set) var rise = 0
  /// The final and the highest debt, if there was none before.
  private(set) var debt = 0
  private(set) var peak = 0

  init() {}

  /// Restores stored numbers.
  init(start: Int, end: Int, steps: Int, rise: Int, debt: Int, peak: Int) {
    (self.start, self.end, self.steps, self.rise, self.debt, self.peak) = (start, end, steps, rise, debt, peak)
  }

  /// Returns whether the highest debt exceeds a limit, even if there was none before.
  func exceeds(_ limit: Int) -> Bool { peak > limit }

  /// True if the numbers may be those of a stretch.
  var isValid: Bool {
    start <= end && max(rise, debt) <= peak && peak <= Self.limit && steps <= peak + Self.paid(by: end - start)
  }

  /// Adds steps at a place, which is not before the places of earlier ones. An earlier place counts as the last one.
  mutating func add(_ count: Int, at offset: Int) {
    if steps == 0 { (start, end) = (offset, offset) }
    let paid = Self.paid(by: max(0, offset - end))
    end = max(end, offset)
    steps += count
    debt = max(0, debt - paid) + count
    peak = max(peak, debt)
    rise = max(rise, steps - Self.paid(by: end - start))
  }

  /// Adds the budget of the following stretch.
  mutating func append(_ next: StepBudget) {
    guard next.steps > 0 else { return }
    guard steps > 0 else { return self = next }
    let change = steps - Self.paid(by: end - start)
    let paid = Self.paid(by: max(0, next.start - end))
    let nextChange = next.steps - Self.paid(by: next.end - next.start)
    rise = max(rise, change - paid + next.rise)
    peak = max(peak, max(0, debt - paid) + next.rise, next.peak)
    debt = max(max(0, debt - paid) + nextChange, next.debt)
    steps += next.steps
    end = max(end, next.end)
  }

  static func paid(by bytes: Int) -> Int { bytes * stepsPerByte }

  /// Returns the steps for reading a text once: none for most.
  static func steps(forReading text: ByteView) -> Int { text.count > longText ? text.count / 16 : 0 }
}
