// The code in the overview of RulesYAML.

// snippet: overview
import Coffer
import RulesYAML

/// Validates a backup against rules in a JSON or YAML file.
func validate(_ backup: String, againstRulesAt path: FilePath, now: Instant) async throws -> ValidationReport {
  var options = RuleDocument.Options()
  options.syntaxes = [.json, .yaml]
  let rules = try RuleDocument(contentsOf: path, options: options)
  return try await Backup(path: backup).validate(
    rules: .document(rules, name: "my rules"), options: ValidationOptions(now: now))
}
// end
