package import Rules
import Synchronization

extension BackupFormat {
  /// The format's rules, compiled on the first call and shared by all copies of this value.
  ///
  /// - Throws: as `RuleDocument.compiled()`.
  package func program() throws(RuleCompileError) -> RuleProgram {
    try compiled.program { () throws(RuleCompileError) in try rules.compiled(watching: archive?.watchedPlaces ?? []) }
  }
}

/// A program that is compiled when it is first needed.
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
