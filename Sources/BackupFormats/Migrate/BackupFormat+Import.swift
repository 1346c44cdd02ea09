extension BackupFormat {
  /// What an import does with a document before anything else.
  package enum ImportStep: Sendable {
    case take
    case migrate
  }

  /// What an import does with a document of this format, as far as its version decides.
  ///
  /// - Parameter takesNewer: also takes documents of a newer version than is known.
  /// - Throws: why it can't be imported.
  package func importStep(
    for declared: FormatVersion, in container: Container, takesNewer: Bool = false
  ) throws(MigrationError) -> ImportStep {
    if takesNewer, isNewer(declared) { return .take }
    if migrations.contains(where: { $0.becomes != nil }) { return .migrate }
    guard let policy = version else { return .take }
    let number = try MigrationPlan.version(declared, self, policy, container)
    if number == policy.current { return .take }
    if migrations.isEmpty {
      throw MigrationError(
        code: .noMigration, message: "it is of version \(number), and the descriptor of '\(name)' has no migrations")
    }
    return .migrate
  }

  /// Whether a document is of a newer version than is known.
  package func isNewer(_ declared: FormatVersion) -> Bool {
    if let version, case .number(let number) = declared { number > version.current } else { false }
  }

  /// Whether its documents changed without a new version number, so that only their content shows which ones are older.
  package var changesWithinVersions: Bool { migrations.contains { $0.to == nil && $0.becomes == nil } }
}
