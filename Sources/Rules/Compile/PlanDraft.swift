import Findings

/// What the records of one array are captured for, while it is being compiled.
struct PlanDraft {
  struct Step {
    var kind: RuleProgram.Step.Kind
    /// Captures of the record, one a field.
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
    var isFanned = false
    var emptyCounts: [Int] = []
    var ifEmpty: Schema.ForeignKey.IfEmpty?
    var ifEqual: Schema.Leniency?
    var list: RuleProgram.StepLabel.List?
  }

  struct Capture: Hashable {
    /// The names that lead to it.
    var path: [ExactText]
    /// It is captured with the letter case of strings taken out.
    var ignoresCase: Bool
    /// It is captured as the instant that it names.
    var comparesInstants: Bool

    /// Whether it is one of the record's own fields, as it is.
    var isPlain: Bool { path.count == 1 && !ignoresCase && !comparesInstants }
  }

  var steps: [Step] = []
  /// The fields that are captured.
  private(set) var captures: [Capture] = []
  /// The tree of the places in a record that are looked at, if there are any below its own fields.
  var root: Int?
  /// Trees of what the record holds for its own references.
  var keyRoots: [Int] = []
  var scopedSetCount = 0

  /// Whether anything is done with the records themselves.
  var hasRecords: Bool { steps.contains { $0.kind != .uniqueItem } }

  /// The captures of these fields.
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
