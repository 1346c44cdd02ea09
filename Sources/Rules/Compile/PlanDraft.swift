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
  }

  var steps: [Step] = []
  var captureNames: [String] = []
  var scopedSetCount = 0
}
