import ByteStreams
import Findings
public import Reports
public import Rules

extension TextReport {
  /// Returns a table of a folder's backups, newest first; the faults of those that aren't valid; and the other files.
  ///
  /// - Parameters:
  ///   - listing: the folder's contents.
  ///   - now: the current time, for the backups' age.
  public func text(of listing: FolderListing, now: Instant) -> String {
    if listing.backups.isEmpty {
      return noBackups(in: listing) + listing.lost.map { "  \($0.name.printable): \(fault(of: $0))\n" }.joined()
    }
    var rows = [["name", "created", "age", "size", "format", "version", "state", "app", "device", "holds"]]
    for backup in listing.backups {
      rows.append([
        backup.name.printable, Self.words(backup.created), Self.age(of: backup.created.instant, at: now),
        Self.shortSize(backup.size), backup.format.printable, backup.version.map(String.init) ?? "",
        backup.validity.code,
        backup.app?.printable ?? "", backup.device?.printable ?? "", Self.holdings(of: backup),
      ])
    }
    var text = self.text(of: TextTable(rows, rightAligned: [3, 5]), by: Self.narrowing(listing))
    let faulty = listing.backups.filter { !$0.isValid }
    if !faulty.isEmpty || !listing.lost.isEmpty { text += "\n" }
    for backup in faulty { text += "  \(backup.name.printable): \(fault(of: backup))\n" }
    for other in listing.lost { text += "  \(other.name.printable): \(fault(of: other))\n" }
    if extent == .everything, let others = others(in: listing) { text += "\n  not backups: \(others)\n" }
    return text
  }

  /// Returns the number of backups and their size: `8 backups, 696 B`. Empty if there are none.
  public func total(of listing: FolderListing) -> String {
    if listing.backups.isEmpty { return "" }
    let size = listing.backups.reduce(0) { $0 + $1.size }
    return "\n  \(listing.backups.count.counted("backup")), \(Self.shortSize(size))\n"
  }

  /// Returns how the table of a folder becomes narrower. Names stay whole as long as possible: other verbs take them.
  private static func narrowing(_ listing: FolderListing) -> [TextTable.Narrowing] {
    let (name, created, age, format, version, app, device, holds) = (0, 1, 2, 4, 5, 7, 8, 9)
    return [.leavingOut(column: age), .leavingOut(column: version)]
      + (listing.formats.count > 1 ? [] : [.leavingOut(column: format)])
      + [
        .cutting(column: holds, to: 24), .cutting(column: device, to: 12), .cutting(column: holds, to: 14),
        .leavingOut(column: device), .leavingOut(column: app), .days(columns: [created]), .cutting(column: format, to: 8),
        .cutting(column: holds, to: 10), .cuttingInside(column: name, to: 35), .leavingOut(column: holds),
        .cuttingInside(column: name, to: 24),
        .leavingOut(column: format), .cuttingInside(column: name, to: 12),
      ]
  }

  /// Returns a verdict on each backup of a folder, and on each file from which nothing can be restored; then the other files,
  /// and a summary.
  public func verdicts(on listing: FolderListing) -> String {
    let lost = listing.lost
    if listing.backups.isEmpty, lost.isEmpty { return noBackups(in: listing) }
    if extent == .failures, listing.backups.allSatisfy(\.isValid), lost.isEmpty { return "" }
    let width = (listing.backups.map(\.validity.code.count) + lost.map(\.kind.rawValue.count)).max() ?? 0
    var text = ""
    for backup in listing.backups where extent == .everything || extent == .failures && !backup.isValid {
      text += verdict(on: backup, width: width)
    }
    for other in lost where extent != .counts {
      let verdict = other.kind.rawValue
      text += paint(verdict, .error) + Self.blanks(width + 2 - verdict.count)
      text += "\(other.name.printable): \(fault(of: other))\n"
    }
    if extent == .failures, text.isEmpty { return "" }
    if extent == .everything, let others = others(in: listing) { text += "not backups: \(others)\n" }
    var summary = "no backups found"
    if !listing.backups.isEmpty {
      let counts = Dictionary(grouping: listing.backups, by: \.validity.code).mapValues(\.count)
      let verdicts = ListedBackup.Validity.codes.compactMap { code in counts[code].map { "\($0.grouped) \(code)" } }
      summary = "\(listing.backups.count.counted("backup")): \(verdicts.joined(separator: ", "))"
    }
    if !lost.isEmpty {
      let counts = Dictionary(grouping: lost, by: \.kind).mapValues(\.count)
      let kinds = FolderListing.Other.Kind.allCases.compactMap { kind in counts[kind].map { "\($0.grouped) \(kind.rawValue)" } }
      summary += "; \(lost.count.counted("other file")) can't be restored: \(kinds.joined(separator: ", "))"
    }
    return text + "\(listing.folder.printable): \(summary)\n"
  }

  private func verdict(on backup: ListedBackup, width: Int) -> String {
    let verdict = backup.validity.code
    return (backup.isValid ? verdict : paint(verdict, backup.validity.severity))
      + Self.blanks(width + 2 - verdict.count) + backup.name.printable
      + (backup.isValid ? " (\(Self.identity(of: backup)))\n" : ": \(fault(of: backup))\n")
  }

  /// Returns the verdict on a backup that was just written to a folder.
  public func verdict(on backup: ListedBackup, writtenTo folder: String) -> String {
    verdict(on: backup, width: backup.validity.code.count) + "\(folder.printable): 1 backup written\n"
  }

  private func noBackups(in listing: FolderListing) -> String {
    "\(listing.folder.printable): no backups found" + (others(in: listing).map { ", but \($0)" } ?? "")
      + (listing.isUnrecognised ? hint("unrecognised") : "") + "\n"
  }

  private func fault(of other: FolderListing.Other) -> String {
    switch (other.kind, other.error) {
    case (_, let error?): Self.words(error)
    case (.ambiguous, _): "well-formed; several formats fit" + hint("ambiguous", ": ")
    default: "well-formed; unknown format"
    }
  }

  // MARK: Words

  /// Returns the time, such as `2026-02-01T09:30:00Z`, and its source unless that is the document.
  static func words(_ created: ListedBackup.Creation) -> String {
    let instant = Instant(seconds: created.instant.seconds).description
    return switch created.source {
    case .document: instant
    case .name: instant + " (its name)"
    case .file: instant + " (the file)"
    }
  }

  private static func holdings(of backup: ListedBackup) -> String {
    backup.counts.map { "\($0.title.printable) \($0.count.grouped)" }.joined(separator: ", ")
  }

  private static func identity(of backup: ListedBackup) -> String {
    let records = backup.recordCount
    return backup.format.printable + (backup.version.map { " \($0)" } ?? "") + ", "
      + records.counted("record")
  }

  /// Returns the fault, in a line.
  private func fault(of backup: ListedBackup) -> String {
    switch backup.validity {
    case .valid: return "valid"
    case .invalid(let count, let first):
      let errors = count.counted("error")
      guard let first else { return errors }
      var place = first.place.pointer.isEmpty ? "the root" : first.place.pointer.printable
      if let entry = first.place.entry { place = first.place.pointer.isEmpty ? entry.printable : "\(entry.printable) \(place)" }
      return "\(errors)\(count == 1 ? "" : ", the first"): \(place): \(first.message.printable) [\(first.code.printable)]"
    case .damaged(let error), .unreadable(let error): return Self.words(error)
    // The version is left out of redacted results.
    case .newer: return "\(backup.version.map { "version \($0)" } ?? "the version") is newer than any known version"
    }
  }

  private static func words(_ error: CofferError) -> String {
    let place = error.place.position.map { " (line \($0.line), column \($0.column))" } ?? ""
    return "\(error.messageWithEntry.printable)\(place) [\(error.code.rawValue)]"
  }

  /// Returns the files without a backup's ending that aren't backups, in a line; the first ten by name.
  private func others(in listing: FolderListing) -> String? {
    let others = listing.others.filter { !$0.isLost }
    var parts = others.prefix(10).map { other in
      switch other.kind {
      case .file, .unknownFormat, .ambiguous, .damaged, .unreadable: other.name.printable
      case .otherFormat: "\(other.name.printable) (another format)"
      case .folder: "\(other.name.printable)/"
      case .link: "\(other.name.printable) (a symbolic link)"
      case .special: "\(other.name.printable) (not a regular file)"
      }
    }
    if others.count > 10 { parts.append("\((others.count - 10).grouped) more") }
    if listing.unnamedCount > 0 {
      parts.append(
        "\(listing.unnamedCount.grouped) whose \(listing.unnamedCount == 1 ? "name isn't" : "names aren't") UTF-8")
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

extension ListedBackup.Validity {
  fileprivate var severity: Severity { if case .newer = self { .warning } else { .error } }
}

extension TextReport {
  /// Returns a table of the backups to keep and to remove, with the reasons.
  ///
  /// - Parameters:
  ///   - plan: the plan for the backups of a folder.
  ///   - now: the current time, for the backups' age.
  public func text(of plan: RetentionPlan, now: Instant) -> String {
    var rows = [["plan", "name", "format", "created", "age", "size", "why"]]
    let formats = Set((plan.keep.map(\.backup) + plan.remove.map(\.backup)).map(\.format))
    func add(_ verb: String, _ backup: ListedBackup, _ reasons: [String]) {
      rows.append([
        // A format that all backups share isn't repeated.
        verb, backup.name.printable, formats.count > 1 ? backup.format.printable : "", Self.words(backup.created),
        Self.age(of: backup.created.instant, at: now),
        Self.shortSize(backup.size), reasons.joined(separator: "; "),
      ])
    }
    for kept in plan.keep { add("keep", kept.backup, kept.reasons.map(\.words)) }
    for removed in plan.remove { add("remove", removed.backup, removed.reasons.map(\.words)) }
    if rows.count == 1 { return "" }
    let (name, format, created, age, size, why) = (1, 2, 3, 4, 5, 6)
    return text(
      of: TextTable(rows, rightAligned: [5]),
      by: [
        .leavingOut(column: age), .wrapping(column: why, to: 28), .days(columns: [created]), .leavingOut(column: size),
        .cuttingInside(column: name, to: 35), .cutting(column: format, to: 8), .wrapping(column: why, to: 20),
        .leavingOut(column: created), .cuttingInside(column: name, to: 24), .leavingOut(column: format),
        .cuttingInside(column: name, to: 12),
      ])
  }

  /// Returns a summary of a plan's outcome, in a line.
  ///
  /// - Parameters:
  ///   - plan: the backups to keep and to remove.
  ///   - outcome: the outcome, or `nil` for a dry run.
  public func summary(of plan: RetentionPlan, _ outcome: RemovalOutcome?) -> String {
    let kept = plan.keep.count
    guard let outcome else {
      let bytes = plan.remove.reduce(0) { $0 + $1.backup.size }
      return plan.remove.isEmpty
        ? "nothing would be removed, \(kept.grouped) kept\n"
        : "\(plan.remove.count.grouped) would be removed (\(Self.shortSize(bytes))), \(kept.grouped) kept\n"
    }
    if plan.remove.isEmpty { return "nothing to remove, \(kept.grouped) kept\n" }
    let left = plan.remove.count - outcome.removed.count
    return "\(outcome.removed.count.grouped) removed (\(Self.shortSize(outcome.bytes))), \(kept.grouped) kept"
      + (left > 0 ? ", \(left.grouped) not removed\n" : "\n")
  }
}
