import BackupFormats
import ByteStreams
import Coffer
import CompressedStreams
public import Findings
import SystemPackage

/// The rules of an import that are neither given nor those of a detected format.
///
///     unknown document ─┬▶ the database has rules ─▶ those; drafted ones get what only this document has
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
  /// The number of members and collections that this document added, if the database's rules were drafted.
  public private(set) var additions: Int?
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
      drafting.name = name(for: backup.name, besides: catalog)
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
    if format.isDetectable,
      case .unknown(let nearest) = FormatCatalog([format]).detect(in: prefix, container: document.container),
      !properties.isDrafted || nearest.isEmpty
    {
      return (.detected(catalog.preceded(by: [format])), nil)
    }
    guard properties.isDrafted else { return (.format(format), assumed) }
    drafting.name = format.name
    let (json, count) = try RuleDrafter(options: drafting).draft([backup]).added(to: stored)
    assumed.additions = count
    return (.format(try BackupFormat(descriptor: json)), assumed)
  }

  private init(origin: Origin) { self.origin = origin }

  /// True if Coffer drafted the rules.
  var areDrafted: Bool { origin == .drafted || additions != nil }

  /// `exports/My podcasts.json.lz4` ─▶ `My-podcasts`, unless a format has this name
  private static func name(for file: String, besides catalog: FormatCatalog) -> String {
    let plain = CompressionFormat.plainName(of: FilePath(file).lastComponent?.string ?? "")
    let stem = file == FileSource.standardInputName ? "" : FilePath(plain).stem ?? ""
    let words = stem.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }
    var name = words.isEmpty ? "records" : String(words.joined(separator: "-").prefix(60))
    while catalog[name] != nil { name += "-data" }
    return name
  }
}

extension DatabaseImportOptions {
  /// Returns the options for a backup with these rules: drafted ones refuse nothing, because they prove nothing.
  func admitting(_ assumed: AssumedRules?) -> DatabaseImportOptions {
    var options = self
    if assumed?.areDrafted == true { options.allowsFindings = true }
    return options
  }
}
