import Coffer

extension RuleCompileError {
  /// One line: `rules.json:2:3: there is no keyword 'tpye' at /tpye`.
  ///
  /// - Parameter rules: the name of the requested rules. The error may be in a document that they refer to.
  func text(in rules: String) -> String {
    "\(document ?? rules):\(position.line):\(position.column): \(message) at \(pointer.isEmpty ? "the root" : pointer)"
  }
}
