import JSONEvents
import Rules

/// Which migrations a document goes through.
package struct MigrationPlan: Sendable {
  /// What the document is of, and what it will be.
  package let before: BackupFormat
  package private(set) var after: BackupFormat
  package private(set) var versionBefore: Int?
  package private(set) var versionAfter: Int?
  /// The document says its version.
  package let isVersionDeclared: Bool
  package private(set) var migrations: [Migration] = []
  /// No migration leads on to the current version, though none other was asked for.
  package private(set) var endsEarly = false

  /// - Parameters:
  ///   - format: what the document is of.
  ///   - declared: the version that it says.
  ///   - target: the version to stop at; `nil`: the current one.
  ///   - outline: the document's start, for clues, and what it stands in.
  ///   - catalog: the formats that documents may become.
  package init(
    for format: BackupFormat, declared: FormatVersion, to target: Int?, outline: DocumentOutline, catalog: FormatCatalog
  ) throws(MigrationError) {
    before = format
    after = format
    if case .absent = declared { isVersionDeclared = false } else { isVersionDeclared = true }
    versionBefore = try format.version.map { policy throws(MigrationError) in
      try Self.version(declared, format, policy, outline.container)
    }
    versionAfter = versionBefore
    let matcher = Pattern.Matcher()
    /// Formats that it has been of, in case two become each other.
    var known: Set<String> = [format.name]
    var isComplete = false
    while !isComplete {
      isComplete = true
      let limit = min(target ?? .max, after.version?.current ?? .max)
      /// The version that unnumbered migrations belong to.
      var stage = after.version?.oldest ?? 0
      let start = versionAfter ?? .min
      for migration in after.migrations {
        if let clue = migration.clue, !clue.holds(in: outline, matcher: matcher) { continue }
        if let name = migration.becomes {
          guard let next = catalog[name], known.insert(name).inserted else {
            throw MigrationError(
              code: .noMigration, message: "documents of '\(after.name)' become '\(name)', which is no format that is known here")
          }
          migrations.append(migration)
          after = next
          versionAfter = migration.to ?? next.version?.current
          isComplete = false
          break
        }
        stage = migration.to ?? stage
        guard stage <= limit, migration.to.map({ $0 > start }) ?? true else { continue }
        migrations.append(migration)
        versionAfter = migration.to ?? versionAfter
      }
    }
    try finish(target)
  }

  /// The version that a document counts as.
  static func version(
    _ declared: FormatVersion, _ format: BackupFormat, _ policy: BackupFormat.VersionPolicy,
    _ container: BackupFormat.Container
  ) throws(MigrationError) -> Int {
    switch declared {
    case .absent:
      if let version = policy.ifAbsent[container] { return version }
      throw MigrationError(
        code: .noVersion, message: "it has no version at \(policy.pointer), as documents of '\(format.name)' do")
    case .other(let kind):
      throw MigrationError(code: .noVersion, message: "the version at \(policy.pointer) is \(kind)")
    case .several: throw MigrationError(code: .noVersion, message: "it has several versions at \(policy.pointer)")
    case .number(let version):
      if version > policy.current {
        throw MigrationError(
          code: .newerVersion,
          message: "it is of version \(version) of '\(format.name)', and \(policy.current) is the newest that is known here")
      }
      if version < policy.oldest {
        throw MigrationError(
          code: .olderVersion,
          message: "it is of version \(version) of '\(format.name)', and \(policy.oldest) is the oldest that is known here")
      }
      return version
    }
  }

  /// A document goes as far as migrations lead; where one was to lead further, that is said.
  private mutating func finish(_ target: Int?) throws(MigrationError) {
    guard let policy = after.version, let reached = versionAfter else {
      if migrations.isEmpty || target != nil {
        throw MigrationError(code: .noMigration, message: "'\(after.name)' has no versions to migrate to")
      }
      return
    }
    if let target, target > policy.current {
      throw MigrationError(
        code: .noMigration, message: "version \(target) of '\(after.name)' is not known: \(policy.current) is the newest")
    }
    if let target, target < reached {
      throw MigrationError(
        code: .noMigration, message: "it is of version \(versionBefore ?? reached), and there is no way back to \(target)")
    }
    if let target, target > reached {
      throw MigrationError(
        code: .noMigration, message: "no migration leads from version \(reached) of '\(after.name)' to \(target)")
    }
    guard target == nil, reached < policy.current else { return }
    if after.migrations.isEmpty {
      throw MigrationError(
        code: .noMigration, message: "it is of version \(reached), and the descriptor of '\(after.name)' has no migrations")
    }
    // Where none leads to another version, documents stay what they are: a ZIP's version is not that of a document by itself.
    endsEarly = after.migrations.contains { $0.to != nil }
  }
}
