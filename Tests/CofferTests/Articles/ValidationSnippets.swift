import Coffer

/// The code in "Validate before you import".
enum ValidationSnippets {
  static func isImportable(path: String, now: Instant) async throws -> Bool {
    // snippet: validate
    let report = try await Backup(path: path).validate(options: ValidationOptions(now: now))
    if let error = report.error {
      print("cannot be read: \(error.message)")
    }
    for finding in report.findings {
      print("\(finding.place.pointer), line \(finding.place.line): \(finding.message)")
    }
    guard report.isValid else { return false }
    // end
    return true
  }

  static func report(
    path: String, now: Instant, show: @escaping @Sendable (Double?, Int, String?) async -> Void
  ) async throws -> ValidationReport {
    // snippet: progress
    let progress = WorkProgress()
    var options = ValidationOptions(now: now)
    options.execution.progress = progress
    async let work = Backup(path: path).validate(options: options)
    for await snapshot in progress.snapshots {
      await show(snapshot.fraction, snapshot.records, snapshot.message)
    }
    let report = try await work
    // end
    return report
  }

  static func report(path: String, now: Instant) async throws -> ValidationReport {
    // snippet: rules
    let rules = try RuleDocument(contentsOf: "my-app-rules.json")
    let report = try await Backup(path: path).validate(
      rules: .document(rules, name: "my-app-rules.json"), options: ValidationOptions(now: now))
    // end
    return report
  }
}
