package import Rules
import Synchronization

extension BackupFormat {
  /// The format's rules, compiled on the first call and shared by all copies of this value.
  ///
  /// - Throws: The errors of `RuleDocument.compiled()`.
  package func program() throws(RuleCompileError) -> RuleProgram {
    try compiled.program { () throws(RuleCompileError) in try rules.compiled(watching: archive?.watchedPlaces ?? []) }
  }
}

/// A lazily compiled program.
final class CompiledProgram: Sendable {
  private let program = Mutex<RuleProgram?>(nil)

  func program(compile: () throws(RuleCompileError) -> RuleProgram) throws(RuleCompileError) -> RuleProgram {
    try program.withLock { program throws(RuleCompileError) in
      if let program { return program }
      let compiled = try compile()
      program = compiled
      return compiled
    }
  }
}
