import Findings
import Rules
import Synchronization

/// A validator's compiled rules, keyed by the name of their format or rule document.
final class ProgramCache: Sendable {
  struct Program: Sendable {
    let rules: RuleProgram
    /// The titles of the collections that are not checked.
    let leftOut: [String]
    let checkedRules: [CheckedRule]

    init(rules: RuleProgram, leftOut: [String]) {
      self.rules = rules
      self.leftOut = leftOut
      checkedRules = rules.checkedRules
    }
  }

  private let programs = Mutex<[String: Program]>([:])

  func program(named name: String, compile: () throws -> Program) throws -> Program {
    try programs.withLock { programs in
      if let known = programs[name] { return known }
      let program = try compile()
      programs[name] = program
      return program
    }
  }
}
