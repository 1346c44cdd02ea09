package import ByteStreams
package import Rules
import Synchronization

extension BackupFormat {
  /// Returns the format's rules, compiled on the first call and shared by all copies of this value.
  ///
  /// - Throws: The errors of `RuleDocument.compiled()`.
  package func program() throws(CofferError) -> RuleProgram {
    try compiled.program { () throws(CofferError) in try rules.compiled(watching: archive?.watchedPlaces ?? []) }
  }
}

/// A lazily compiled program.
final class CompiledProgram: Sendable {
  private let program = Mutex<RuleProgram?>(nil)

  func program(compile: () throws(CofferError) -> RuleProgram) throws(CofferError) -> RuleProgram {
    try program.withLock { program throws(CofferError) in
      if let program { return program }
      let compiled = try compile()
      program = compiled
      return compiled
    }
  }
}
