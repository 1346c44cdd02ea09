/// What a program requires of keys.
struct KeySchema: Sendable {
  /// The number of the document's sets, without scoped ones.
  let setCount: Int
  /// For each step, whether its findings need all places.
  let isDetailed: [Bool]
  /// The sets that a reference refers to and another one refines.
  let baseSets: Set<Int>
}

extension KeySchema {
  init(_ program: RuleProgram) {
    var baseSets: Set<Int> = []
    for number in 0..<program.steps.count where program.steps[number].base >= 0 {
      baseSets.insert(Int(program.steps[Int(program.steps[number].base)].keySet))
    }
    self.init(setCount: program.keySetCount, isDetailed: program.stepsWithDetails, baseSets: baseSets)
  }
}
