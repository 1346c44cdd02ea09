import Findings

/// The reasons for capturing an array's records, during compilation.
struct PlanDraft {
  struct Step {
    var kind: RuleProgram.Step.Kind
    /// The captures of the record, one per field.
    var fields: [Int]
    var fieldNames: [String]
    var keySet: Int
    var isScoped: Bool
    var condition: UInt16 = 0
    var rule: Int32 = -1
    /// The step of this plan that it refines.
    var base = -1
    var findingCapture = 0
    var findingField = ""
    var resource = ""
    var levels = -1
    var isMultivalued = false
    var emptyCounts: [Int] = []
    var ifEmpty: Schema.ForeignKey.IfEmpty?
    var ifEqual: Schema.Leniency?
    var list: RuleProgram.StepLabel.List?
  }

  struct Capture: Hashable {
    /// The path to the value.
    var path: [ExactText]
    /// True to capture strings without letter case.
    var ignoresCase: Bool
    /// True to capture the value as an instant.
    var comparesInstants: Bool

    /// True if it is one of the record's own fields, unchanged.
    var isPlain: Bool { path.count == 1 && !ignoresCase && !comparesInstants }
  }

  var steps: [Step] = []
  /// The captured fields.
  private(set) var captures: [Capture] = []
  /// The tree of the watched places in a record, if any are below its own fields.
  var root: Int?
  /// The trees of keys that the record defines for its own references.
  var keyRoots: [Int] = []
  var scopedSetCount = 0

  /// True if the records themselves are processed.
  var hasRecords: Bool { steps.contains { $0.kind != .uniqueItem } }

  /// Returns the captures of these fields.
  mutating func captures(of fields: [Schema.FieldPath], ignoringCase: Bool = false, asInstants: Bool = false) -> [Int] {
    fields.map { capture(of: $0, ignoringCase: ignoringCase, asInstant: asInstants) }
  }

  mutating func capture(of field: Schema.FieldPath, ignoringCase: Bool = false, asInstant: Bool = false) -> Int {
    let capture = Capture(path: field.map(ExactText.init), ignoresCase: ignoringCase, comparesInstants: asInstant)
    if let index = captures.firstIndex(of: capture) { return index }
    captures.append(capture)
    return captures.count - 1
  }
}
