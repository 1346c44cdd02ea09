import ByteStreams
import Coffer
import Findings
public import Reports

extension TextReport {
  /// Returns a report on an import or its preview, with a line for each collection.
  ///
  ///     export.json: ev-charging-tracker 9, made 2026-06-28T20:15:00Z, into backup.db
  ///       cars: 3 unchanged
  ///       expenses: 12 inserted, 1 replaced, 1987 unchanged
  ///     safety copy: backup.db.before-import-20261122T101500Z.sqlite
  ///
  /// - Parameter report: the import, or its preview.
  public func text(of report: DatabaseImportReport) -> String {
    var heading = "\(report.file.printable): \(report.format.printable)"
    if let version = report.version { heading += " \(version)" }
    if let createdAt = report.createdAt { heading += ", made \(createdAt)" }
    heading += report.isPreview ? ", would go into" : ", into"
    var text = "\(heading) \(report.database.printable)\(report.isNew ? " (new)" : "")\n"
    if let assumed = report.assumed {
      let hint = hints[assumed.origin.rawValue + "-rules"].map { "; \($0)" } ?? ""
      text += "  rules: \(Self.words(assumed).printable)\(hint)\n"
    }
    if let migration = report.migration {
      text += "  migrated \(Self.words(migration).printable)\n"
      text += steps(of: migration, indent: 4)
    }
    if let skipped = report.skipped { text += lines(for: skipped) + "  not complete: \(words(for: skipped))\n" }
    for collection in report.changes.collections { text += "  \(collection.title.printable): \(Self.words(collection))\n" }
    let (changed, removed, kept) = (report.changes.changedMembers, report.changes.removedMembers, report.changes.keptMembers)
    if changed + removed + kept > 0, !report.isNew {
      let others = kept > 0 ? ", \(kept.grouped) kept as \(kept == 1 ? "it was" : "they were")" : ""
      text += "  outside the collections: \(changed.counted("member")) changed, \(removed.grouped) removed\(others)\n"
    }
    if let files = report.files {
      text += "  files: \(files.added.grouped) added, \(files.replaced.grouped) replaced, \(files.kept.grouped) kept, "
      text += "\(files.removed.grouped) removed\n"
    }
    if let views = report.changes.views {
      text +=
        "  views: \(views.isEmpty ? "none, because the rules describe no list of objects inside records" : views.map(\.printable).joined(separator: ", "))\n"
    }
    let hasSameFiles = report.files.map { $0.added + $0.replaced + $0.removed == 0 } ?? true
    let hasSameRecords = report.changes.collections.allSatisfy { $0.inserted + $0.replaced + $0.removed + $0.kept == 0 }
    if hasSameRecords, hasSameFiles {
      text +=
        "  \(changed + removed == 0 && !report.isNew ? "nothing new" : "no new records"): \(Self.presentRecords(report.changes.collections.reduce(0) { $0 + $1.unchanged }))\n"
    }
    let chosen = choice(byCreationIn: report.changes.chosenByCreation)
    if !chosen.isEmpty { text += "  " + chosen }
    let findings = report.validation.counts
    if findings.total > 0 {
      let counts = Severity.allCases.map { ($0, findings.count($0)) }.filter { $0.1 > 0 }
      let words = counts.map { $0.1.counted($0.0.rawValue) }.joined(separator: ", ")
      let (subject, code) =
        report.migration == nil
        ? ("validation", "imported-findings") : ("validation of the migrated backup", "migrated-findings")
      text += "  \(subject): \(words)\(hints[code].map { " (\($0))" } ?? "")\n"
    }
    for reference in report.changes.danglingReferences { text += "  \(reference.description.printable)\n" }
    if let copy = report.safetyCopy { text += "safety copy: \(copy.printable)\n" }
    for warning in report.warnings { text += "\(warning.printable)\n" }
    return text
  }

  private static func presentRecords(_ count: Int) -> String {
    switch count {
    case 0: "the backup has no records"
    case 1: "the database already has the 1 record"
    default: "the database already has all \(count.grouped) records"
    }
  }

  private static func words(_ migration: MigrationReport) -> String {
    guard let version = migration.versionBefore else { return "from \(migration.format)" }
    return migration.format == migration.formatAfter && version == migration.versionAfter
      ? "within version \(version) of \(migration.format)" : "from version \(version) of \(migration.format)"
  }

  /// `drafted from this file, with 2 keys and 1 reference`
  private static func words(_ assumed: AssumedRules) -> String {
    if assumed.origin == .database {
      guard let count = assumed.additions else { return "those in the database" }
      return
        "those in the database, drafted from earlier files\(count > 0 ? ", with \(count.counted("addition")) for this one" : "")"
    }
    let found = [(assumed.keys ?? 0).counted("key"), (assumed.references ?? 0).counted("reference")].joined(separator: " and ")
    let nearest = assumed.nearest.map { nearest in
      " (no format fits; the closest is '\(nearest.name)', but: \(nearest.missing.prefix(3).joined(separator: "; ")))"
    }
    return "drafted from this file, with \(found)\(nearest ?? "")"
  }

  private static func words(_ changes: CollectionChanges) -> String {
    let counts = [
      (changes.inserted, "inserted"), (changes.replaced, "replaced"), (changes.kept, "kept as they were"),
      (changes.unchanged, "unchanged"), (changes.onlyInDatabase, "only in the database"), (changes.removed, "removed"),
    ].filter { $0.0 > 0 }
    return counts.isEmpty ? "none" : counts.map { "\($0.0.grouped) \($0.1)" }.joined(separator: ", ")
  }

  /// Returns a report on an export, in a line.
  public func text(of report: DatabaseExportReport) -> String {
    let version = report.version.map { " \($0)" } ?? ""
    let counts = report.collections.filter { $0.count > 0 }.map { "\($0.title.printable) \($0.count.grouped)" }
    var text =
      "\((report.file ?? report.database).printable): \(report.format.printable)\(version): \(counts.isEmpty ? "no records" : counts.joined(separator: ", "))\n"
    if report.leavesFilesOut { text += "the database's files are left out: only a ZIP archive can hold them\n" }
    if report.unnamedFiles > 0 {
      text += "left out: \(report.unnamedFiles.counted("file")) that no exported record names\n"
    }
    return text
  }
}
