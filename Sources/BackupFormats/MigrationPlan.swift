package import ByteStreams
import JSONEvents
import Rules

/// The sequence of migrations for a document.
package struct MigrationPlan: Sendable {
  /// The format before and after.
  package let before: BackupFormat
  package private(set) var after: BackupFormat
  package private(set) var versionBefore: Int?
  package private(set) var versionAfter: Int?
  /// True if the document declares its version.
  package let isVersionDeclared: Bool
  package private(set) var migrations: [Migration] = []
  /// True if the migrations end before the current version, although no other version was requested.
  package private(set) var endsEarly = false

  /// - Parameters:
  ///   - format: The document's format.
  ///   - declared: The version that the document declares.
  ///   - target: The version to migrate to (default: the current one).
  ///   - outline: The document's start and container, for detection criteria.
  ///   - catalog: The formats that documents may become.
  package init(
    for format: BackupFormat, declared: FormatVersion, to target: Int?, outline: DocumentOutline, catalog: FormatCatalog
  ) throws(CofferError) {
    before = format
    after = format
    if case .absent = declared { isVersionDeclared = false } else { isVersionDeclared = true }
    versionBefore = try format.version.map { policy throws(CofferError) in
      try Self.version(declared, format, policy, outline.container)
    }
    versionAfter = versionBefore
    let matcher = Pattern.Matcher()
    /// The formats so far, to detect cycles.
    var known: Set<String> = [format.name]
    var isComplete = false
    while !isComplete {
      isComplete = true
      let limit = min(target ?? .max, after.version?.current ?? .max)
      /// The version of migrations without a number.
      var stage = after.version?.oldest ?? 0
      let start = versionAfter ?? .min
      for migration in after.migrations {
        if let criterion = migration.criterion, !criterion.holds(in: outline, matcher: matcher) { continue }
        if let name = migration.becomes {
          guard let next = catalog[name], known.insert(name).inserted else {
            throw CofferError(
              .noMigration, "documents of '\(after.name)' become '\(name)', which is not a known format")
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

  /// Returns the effective version of a document.
  static func version(
    _ declared: FormatVersion, _ format: BackupFormat, _ policy: BackupFormat.VersionPolicy,
    _ container: BackupFormat.Container
  ) throws(CofferError) -> Int {
    switch declared {
    case .absent:
      if let version = policy.ifAbsent[container] { return version }
      throw CofferError(
        .noVersion, "missing version at \(policy.pointer), which '\(format.name)' requires")
    case .other(let kind):
      throw CofferError(.noVersion, "the version at \(policy.pointer) is \(kind)")
    case .several: throw CofferError(.noVersion, "several versions at \(policy.pointer)")
    case .number(let version):
      if version > policy.current {
        throw CofferError(
          .newerVersion,
          "version \(version) of '\(format.name)' is newer than \(policy.current), the newest that Coffer knows")
      }
      if version < policy.oldest {
        throw CofferError(
          .olderVersion,
          "version \(version) of '\(format.name)' is older than \(policy.oldest), the oldest that Coffer knows")
      }
      return version
    }
  }

  /// Checks the reached version. Migrations may end early, unless a requested version isn't reached.
  private mutating func finish(_ target: Int?) throws(CofferError) {
    guard let policy = after.version, let reached = versionAfter else {
      if migrations.isEmpty || target != nil {
        throw CofferError(.noMigration, "'\(after.name)' has no versions to migrate to")
      }
      return
    }
    if let target, target > policy.current {
      throw CofferError(
        .noMigration, "unknown version \(target) of '\(after.name)': the newest is \(policy.current)")
    }
    if let target, target < reached {
      throw CofferError(
        .noMigration, "cannot migrate version \(versionBefore ?? reached) back to \(target)")
    }
    if let target, target > reached {
      throw CofferError(
        .noMigration, "no migration leads from version \(reached) of '\(after.name)' to \(target)")
    }
    guard target == nil, reached < policy.current else { return }
    if after.migrations.isEmpty {
      throw CofferError(
        .noMigration, "cannot migrate version \(reached): the descriptor of '\(after.name)' has no migrations")
    }
    // If no migration leads to another version, documents keep theirs: a ZIP's version differs from that of a plain document.
    endsEarly = after.migrations.contains { $0.to != nil }
  }
}

extension BackupFormat {
  /// Returns whether an import first migrates a document of this format, by its version.
  ///
  /// - Parameter acceptsNewer: True to accept documents of newer versions than the newest known one.
  /// - Throws: `CofferError` if the document can't be imported.
  package func importMigrates(
    _ declared: FormatVersion, in container: Container, acceptsNewer: Bool = false
  ) throws(CofferError) -> Bool {
    if acceptsNewer, isNewer(declared) { return false }
    if migrations.contains(where: { $0.becomes != nil }) { return true }
    guard let policy = version else { return false }
    let number = try MigrationPlan.version(declared, self, policy, container)
    if number == policy.current || policy.hasSameForm { return false }
    if migrations.isEmpty {
      throw CofferError(
        .noMigration, "cannot migrate version \(number): the descriptor of '\(name)' has no migrations")
    }
    return true
  }

  /// Returns true if a version is newer than the newest known one.
  package func isNewer(_ declared: FormatVersion) -> Bool {
    if let version, case .number(let number) = declared { number > version.current } else { false }
  }

  /// Returns the applicable migrations, as far as the document's start determines which apply.
  package func migrations(for prefix: [UInt8], in container: Container) -> [Migration] {
    guard migrations.contains(where: { $0.criterion != nil }) else { return migrations }
    let outline = DocumentOutline(of: prefix, in: container, for: DocumentOutline.Paths(criteria))
    let matcher = Pattern.Matcher()
    return migrations.filter { $0.criterion?.holds(in: outline, matcher: matcher) ?? true }
  }

  /// True if the format changed without a new version number, so that only the content identifies older documents.
  package var changesWithinVersions: Bool { migrations.contains { $0.to == nil && $0.becomes == nil } }

  /// Returns the format with only those migrations that change one of these places.
  ///
  /// - Parameter places: JSON Pointers of values.
  package func migrating(only places: [String]) throws(CofferError) -> BackupFormat {
    try BackupFormat(rules, descriptor: descriptor, migrating: places.compactMap(\.pointerTokens), compiled: compiled)
  }
}
