import ByteStreams
public import Coffer
import Findings
import JSONEvents
public import Rules

extension TextReport {
  /// Returns the inspection of a document: its properties, its collections as a table, and warnings before an import.
  ///
  /// - Parameter now: The current time, for the document's age. If `nil`, the age is not shown.
  public func text(of inspection: Inspection, now: Instant? = nil) -> String {
    if let error = inspection.error, inspection.isOfNothing { return line(for: error, in: inspection.file) }
    var text = inspection.file.printable + "\n"
    for (label, value) in facts(of: inspection, now) {
      text += line("  \(label)\(Self.blanks(11 - label.count))", value.printable)
    }
    let table = table(of: inspection.reportedCollections)
    if !table.isEmpty { text += "\n" + table }
    if let others = others(of: inspection) { text += "\n" + line("  also       ", others.printable) }
    if !inspection.warnings.isEmpty || inspection.error != nil { text += "\n" }
    for warning in inspection.warnings {
      text += "  \(paint("warning", .warning)): \(warning.message.printable) [\(warning.code)]\n"
    }
    if let error = inspection.error { text += "  " + line(for: error, in: inspection.file) }
    return text
  }

  // MARK: Metadata

  /// The properties that pages show, too.
  func facts(of inspection: Inspection, _ now: Instant?) -> [(label: String, value: String)] {
    var facts = formatFacts(of: inspection.format)
    func add(_ label: String, _ value: String?) { if let value { facts.append((label, value)) } }
    // In a truncated document, missing properties may come later.
    let isWhole = inspection.error == nil
    add("version", inspection.version.flatMap { isWhole || $0.found != nil ? Self.words($0) : nil })
    add("import", Self.words(inspection.importability, inspection))
    add("created", inspection.createdAt.map { Self.words($0, now) })
    add("app", inspection.app)
    add("device", inspection.device)
    add("container", Self.container(of: inspection))
    add("size", Self.size(of: inspection))
    add("settings", inspection.hasSettings.flatMap { $0 ? "included" : isWhole ? "not included" : nil })
    add("attached", inspection.attachments.map(Self.words))
    return facts
  }

  private func formatFacts(of format: Inspection.FormatIdentity) -> [(label: String, value: String)] {
    switch format {
    case .known(let name, let title, let dialect, let reasons):
      var facts = [("format", title == name ? name : "\(name): \(title)")]
      if let dialect { facts.append(("dialect", dialect)) }
      if !reasons.isEmpty { facts.append(("because", Self.words(reasons))) }
      return facts
    case .rules(let name): return [("format", "by the rules of \(name)")]
    case .unknown(let nearest):
      return [("format", "unknown")]
        + nearest.map { ("like", "\($0.name): \(Self.words($0.reasons)); but \(Self.words($0.missing))") }
    case .ambiguous(let candidates):
      return [("format", "ambiguous" + hint("ambiguous", ": "))]
        + candidates.map { ("may be", "\($0.name): \(Self.words($0.reasons))") }
    }
  }

  /// Joins the first four reasons.
  private static func words(_ reasons: [String]) -> String {
    let shown = reasons.prefix(4).joined(separator: ", ")
    return reasons.count > 4 ? "\(shown), and \(reasons.count - 4) more" : shown
  }

  private static func words(_ version: Inspection.Version) -> String {
    let known =
      version.oldestKnown == version.current
      ? "known: \(version.current)" : "known: \(version.oldestKnown) to \(version.current)"
    if let found = version.found { return "\(found) (\(known))" }
    return version.number.map { "missing, which means \($0) (\(known))" } ?? "missing (\(known))"
  }

  private static func words(_ importability: Inspection.Importability, _ inspection: Inspection) -> String {
    let number = inspection.version?.number.map(String.init) ?? ""
    let version = inspection.version
    return switch importability {
    case .current: "yes"
    case .older:
      inspection.migration.map { "yes, migrated to " + words($0, version) } ?? "yes, migrated within version \(number)"
    case .olderThanKnown: "no: version \(number) is older than \(version?.oldestKnown ?? 0), the oldest that Coffer knows"
    case .newer: "no: version \(number) is newer than \(version?.current ?? 0), the newest that Coffer knows"
    case .noMigration: "no: there is no migration from version \(number)"
    case .noVersion: "no: its version is missing or invalid"
    case .unknownFormat:
      inspection.format.isByRules ? "no: the rules describe no backup format" : "not as a backup: unknown format"
    case .ambiguousFormat: "no: several formats fit"
    case .duplicateKeys: "no: it has duplicate keys (coffer validate shows them)"
    case .findings: "no: validation finds errors (coffer validate shows them)"
    case .faultyArchive: "no: entries of the archive are unsafe or damaged"
    case .unreadable: "no: it can't be read completely"
    }
  }

  private static func words(_ migration: Inspection.Migration, _ version: Inspection.Version?) -> String {
    let result = [migration.format, migration.version.map { "version \($0)" }].compactMap(\.self).joined(separator: ", ")
    guard migration.format == nil, let reached = migration.version, let current = version?.current, reached < current else {
      return result
    }
    return "\(result); no migration from version \(reached) to \(current)"
  }

  private static func words(_ moment: Inspection.Moment, _ now: Instant?) -> String {
    guard let instant = moment.instant else { return "\(moment.text), which is not a valid date" }
    var text = instant.description
    if text != moment.text { text += " (written \(moment.text))" }
    if let now { text += ", " + age(of: instant, at: now) }
    return text
  }

  /// Formats an age: `3 days old`, `5 minutes ahead`.
  package static func age(of instant: Instant, at now: Instant) -> String {
    let (seconds, isPast) = (Int(abs(now.seconds - instant.seconds)), instant <= now)
    return "\(roundedSpan(ofSeconds: seconds)) \(isPast ? "old" : "ahead")"
  }

  /// Formats a span of time: `3 s`, `5 minutes`, `23 hours`.
  package static func span(ofSeconds seconds: Int) -> String {
    seconds < 120 ? "\(seconds) s" : roundedSpan(ofSeconds: seconds)
  }

  private static func roundedSpan(ofSeconds seconds: Int) -> String {
    if seconds < 7200 { return (seconds / 60).counted("minute") }
    return seconds < 172_800 ? (seconds / 3600).counted("hour") : (seconds / 86400).counted("day")
  }

  private static func container(of inspection: Inspection) -> String {
    let container =
      switch inspection.container {
      case .json: "JSON"
      case .jsonLines: "JSON Lines"
      case .sequence: "a JSON sequence"
      case .zip: "ZIP"
      }
    return container + (inspection.compression.map { ", compressed with \($0.name)" } ?? "")
  }

  private static func size(of inspection: Inspection) -> String {
    let document = size(inspection.documentBytes)
    if inspection.error != nil {
      return "read to byte \(inspection.documentBytes.grouped)" + (inspection.storedBytes.map { "; \(size($0)) stored" } ?? "")
    }
    guard let stored = inspection.storedBytes else { return document }
    if inspection.container == .zip { return "\(size(stored)), its document \(document)" }
    guard inspection.compression != nil else { return document }
    let share = inspection.documentBytes == 0 ? 0 : Double(stored) / Double(inspection.documentBytes)
    return "\(size(stored)) stored, \(document) expanded, \(tenths(share * 100)) %"
  }

  private static func words(_ attachments: Inspection.Attachments) -> String {
    let missing = attachments.missing == 0 ? "none missing" : "\(attachments.missing.grouped) missing"
    return "\(attachments.count.counted("file")), \(size(attachments.bytes)); \(missing)"
  }

  // MARK: Contents

  private func table(of collections: [Inspection.Collection]) -> String {
    if collections.isEmpty { return "" }
    var rows = [["collection", "count", "from", "to", "by", "size", ""]]
    for collection in collections {
      guard collection.isPresent else {
        rows.append([collection.title.printable, "absent", "", "", "", "", ""])
        continue
      }
      rows.append([
        collection.title.printable, collection.count.grouped, collection.earliest?.description ?? "",
        collection.latest?.description ?? "", collection.latest == nil ? "" : collection.date?.printable ?? "",
        collection.bytes.map(Self.shortSize) ?? "", Self.notes(on: collection),
      ])
      for nested in collection.nested {
        rows.append(["  " + nested.name.printable, nested.count.grouped, "", "", "", "", ""])
      }
    }
    let (title, dates, by, size, notes) = (0, [2, 3], 4, 5, 6)
    return text(
      of: TextTable(rows, rightAligned: [1, 5]),
      by: [
        .leavingOut(column: by), .days(columns: dates), .wrapping(column: notes, to: 20), .cuttingInside(column: title, to: 24),
        .leavingOut(column: size), .cuttingInside(column: title, to: 12),
      ])
  }

  static func notes(on collection: Inspection.Collection) -> String {
    var notes: [String] = []
    if collection.undated > 0, let date = collection.date {
      notes.append("\(collection.undated.grouped) without a \(date.printable)")
    }
    if !collection.kinds.isEmpty, collection.kinds != [.object] {
      notes.append(collection.kinds.map { $0.name + ($0 == .null ? "" : "s") }.joined(separator: ", "))
    }
    return notes.joined(separator: "; ")
  }

  /// The root's other members, which pages show, too.
  func others(of inspection: Inspection) -> String? {
    var others = inspection.members.filter { !$0.isReported }.map { member in
      "\(member.name) (\(member.kind.name)\(member.count.map { ", " + $0.counted("member") } ?? ""))"
    }
    if inspection.furtherMembers > 0 { others.append("\(inspection.furtherMembers.grouped) more") }
    if others.isEmpty, let root = inspection.root, inspection.collections.isEmpty {
      others.append("only a value of type \(root.name)")
    }
    return others.isEmpty ? nil : others.joined(separator: ", ")
  }

  // MARK: Sizes

  /// Formats a size: `1.2 MB (1,234,567 bytes)`, `812 bytes`.
  private static func size(_ bytes: Int) -> String {
    let exact = bytes.counted("byte")
    return bytes < 1000 ? exact : "\(shortSize(bytes)) (\(exact))"
  }

  /// Formats a size in powers of 1000, with one decimal place.
  package static func shortSize(_ bytes: Int) -> String {
    let (number, unit) = shortSizeParts(bytes)
    return "\(number) \(unit)"
  }

  /// Returns the number and the unit of ``shortSize(_:)``.
  static func shortSizeParts(_ bytes: Int) -> (number: String, unit: String) {
    guard bytes >= 1000 else { return ("\(bytes)", "B") }
    var value = Double(bytes) / 1000
    var units = ["kB", "MB", "GB", "TB", "PB"][...]
    while value >= 999.95, units.count > 1 {
      value /= 1000
      units.removeFirst()
    }
    return (tenths(value), units.first ?? "")
  }

  private static func tenths(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

extension Inspection {
  /// True if nothing could be read: for example, because the file can't be opened.
  var isOfNothing: Bool { documentBytes == 0 && storedBytes == nil && root == nil && error?.place.position == nil }

  /// The collections; for a document that couldn't be read to its end, only those that were found.
  var reportedCollections: [Collection] { error == nil ? collections : collections.filter(\.isPresent) }
}

extension Inspection.FormatIdentity {
  fileprivate var isByRules: Bool { if case .rules = self { true } else { false } }
}
