import BackupFormats
import ByteStreams
import Coffer
import CompressedStreams
public import Findings
import SystemPackage

/// The rules of an import that are neither given nor those of a detected format.
///
///     unknown document ─┬▶ the database has rules ─▶ those; drafted ones are widened until the document satisfies them
///                       └▶ no rules ─▶ drafted from the document
///
/// The database stores rules that aren't built in, so an export needs none, and neither does the next import.
public struct AssumedRules: Sendable, Encodable {
  public enum Origin: String, Sendable, Encodable {
    /// The rules were drafted from the document: they are no proof that it is complete or correct.
    case drafted
    /// The database has them from an earlier import.
    case database
  }

  public let origin: Origin
  /// The number of keys and references, if the rules were drafted.
  public private(set) var keys: Int?
  public private(set) var references: Int?
  /// The number of keywords that were widened for this document, if the database's rules were drafted.
  public private(set) var widened: Int?
  /// The built-in format that fits best, and what the document lacks of it, if there is one.
  public private(set) var nearest: FormatCandidate?

  /// - Parameters:
  ///   - rules: what the caller gave.
  ///   - properties: returns those of the database, if it holds a backup. Called for an unknown document.
  /// - Returns: the rules to use, and where they come from; `nil` if they were given, or the format was detected.
  static func find(
    _ rules: RuleSource, for backup: OpenedBackup, _ options: ValidationOptions,
    database properties: () throws -> BackupProperties?
  ) throws -> (rules: RuleSource, assumed: AssumedRules?)? {
    guard case .detected(let catalog) = rules, backup.archive.map({ $0.formats.isEmpty }) ?? true else { return nil }
    let document = try backup.document()
    var source = document.source
    let prefix = try source.readPrefix(FormatCatalog.prefixSize)
    guard case .unknown(let nearest) = catalog.detect(in: prefix, container: document.container) else { return nil }
    // An empty file may be a backup of a format that its name tells.
    if prefix.isEmpty, catalog.detect(emptyFileNamed: backup.name) != nil { return nil }
    var drafting = DraftingOptions()
    drafting.syntax = options.syntax
    drafting.limits = options.limits
    drafting.execution = options.execution.unmetered
    guard let properties = try properties(), let stored = properties.rules else {
      drafting.name = name(for: backup.name)
      let draft = try RuleDrafter(options: drafting).draft([backup])
      var assumed = AssumedRules(origin: .drafted)
      assumed.keys = draft.keyCount
      assumed.references = draft.referenceCount
      assumed.nearest = nearest.first.map { FormatCandidate(name: $0.format.name, reasons: $0.reasons, missing: $0.missing) }
      return (.format(try BackupFormat(descriptor: draft.json)), assumed)
    }
    var assumed = AssumedRules(origin: .database)
    let format = try BackupFormat(descriptor: stored)
    // A document of another kind is read to its end, and then refused.
    if format.isDetectable, case .unknown = FormatCatalog([format]).detect(in: prefix, container: document.container) {
      return (.detected(catalog.preceded(by: [format])), nil)
    }
    guard properties.isDrafted else { return (.format(format), assumed) }
    let update = try RuleDrafter(options: drafting).widen(stored, toAdmit: [backup], now: options.now)
    assumed.widened = update.changes.count
    return (.format(try BackupFormat(descriptor: update.changes.isEmpty ? stored : update.json)), assumed)
  }

  private init(origin: Origin) { self.origin = origin }

  /// Rules that follow the documents, because nobody has written them.
  var areDrafted: Bool { origin == .drafted || widened != nil }

  /// `exports/podcasts.json.lz4` ─▶ `podcasts`
  private static func name(for file: String) -> String {
    let plain = CompressionFormat.plainName(of: FilePath(file).lastComponent?.string ?? "")
    let stem = file == FileSource.standardInputName ? nil : FilePath(plain).stem
    guard let stem, !stem.isEmpty, !["coffer_", "sqlite_"].contains(where: stem.lowercased().hasPrefix) else { return "records" }
    return stem
  }
}
