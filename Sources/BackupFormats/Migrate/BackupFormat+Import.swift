package import ByteStreams
import JSONEvents

extension BackupFormat {
  /// The first step of an import.
  package enum ImportStep: Sendable {
    case take
    case migrate
  }

  /// Returns the first step of an import of this format, by version.
  ///
  /// - Parameter acceptsNewer: True to accept documents of newer versions than the newest known one.
  /// - Throws: `CofferError` if the document can't be imported.
  package func importStep(
    for declared: FormatVersion, in container: Container, acceptsNewer: Bool = false
  ) throws(CofferError) -> ImportStep {
    if acceptsNewer, isNewer(declared) { return .take }
    if migrations.contains(where: { $0.becomes != nil }) { return .migrate }
    guard let policy = version else { return .take }
    let number = try MigrationPlan.version(declared, self, policy, container)
    if number == policy.current || policy.hasSameForm { return .take }
    if migrations.isEmpty {
      throw CofferError(
        .noMigration, "cannot migrate version \(number): the descriptor of '\(name)' has no migrations")
    }
    return .migrate
  }

  /// Returns true if a version is newer than the newest known one.
  package func isNewer(_ declared: FormatVersion) -> Bool {
    if let version, case .number(let number) = declared { number > version.current } else { false }
  }

  /// True if the format changed without a new version number, so that only the content identifies older documents.
  package var changesWithinVersions: Bool { migrations.contains { $0.to == nil && $0.becomes == nil } }

  /// Returns the format with only those migrations that change one of these places.
  ///
  /// - Parameter places: JSON Pointers of values.
  package func migrating(only places: [String]) -> BackupFormat {
    let places = places.compactMap(\.pointerTokens)
    var format = self
    format.migrations = migrations.filter { migration in
      migration.steps.contains { step in
        let tokens = step.pointer.pointerTokens ?? []
        return places.contains { $0.count == tokens.count && zip($0, tokens).allSatisfy { $1 == "*" || $0 == $1 } }
      }
    }
    return format
  }
}
