public import ByteStreams
import JSONEvents
import Rules
import Synchronization

/// The possible formats of a document.
public struct FormatCatalog: Sendable {
  let entries: [CatalogEntry]
  private let outlinePaths = OutlinePaths()

  public init(_ formats: [BackupFormat]) { self.init(formats.map(CatalogEntry.init)) }

  private init(_ entries: [CatalogEntry]) { self.entries = entries }

  /// The formats' detection criteria.
  package var criteria: [DetectionCriterion] { entries.flatMap(\.description.criteria) }

  /// The paths that they use, prepared for the first document whose format is detected.
  private final class OutlinePaths: Sendable {
    private let known = Mutex<DocumentOutline.Paths?>(nil)

    func of(_ catalog: FormatCatalog) -> DocumentOutline.Paths {
      known.withLock { known in
        let paths = known ?? DocumentOutline.Paths(catalog.criteria)
        known = paths
        return paths
      }
    }
  }

  /// Returns the catalog with other formats before its own. They take the place of those with the same names.
  public func preceded(by formats: [BackupFormat]) -> FormatCatalog {
    if formats.isEmpty { return self }
    let names = Set(formats.map(\.name))
    return FormatCatalog(formats.map(CatalogEntry.init) + entries.filter { !names.contains($0.name) })
  }

  /// All formats. Cost: reads the built-in formats that have not been used yet.
  public var formats: [BackupFormat] { entries.map(\.format) }

  public var names: [String] { entries.map(\.name) }

  /// The endings that the formats give the names of backup files, which may differ from the usual ones.
  package var fileEndings: [String] { entries.flatMap { $0.description.fileName?.endings ?? [] } }

  /// Returns the first format with a template for the names of its backups that the name fits.
  package func format(ofFileNamed name: String) -> BackupFormat? {
    entries.first { entry in
      let fileName = entry.description.fileName
      return fileName?.template != nil && fileName?.fits(name) == true
    }?.format
  }

  /// The built-in formats.
  ///
  /// Cost: the first access reads the names, the first detection the criteria; each format is read on first use.
  public static let builtIn: FormatCatalog = {
    do throws(CofferError) {
      var entries: [CatalogEntry] = []
      while let entry = try CatalogEntry(builtIn: entries.count) { entries.append(entry) }
      return FormatCatalog(entries)
    } catch {
      preconditionFailure("the built-in descriptors are invalid: \(error)")
    }
  }()

  public subscript(name: String) -> BackupFormat? { entries.first { $0.name == name }?.format }
}

extension BackupFormat {
  /// True if it is one of the built-in formats, and not the user's own of that name.
  package var isBuiltIn: Bool { FormatCatalog.builtIn[name]?.descriptor == descriptor }
}

extension FormatCatalog {
  /// The detected format of a document.
  public enum Detection: Sendable {
    case format(Candidate)
    /// No format fits. The nearest formats come first.
    case unknown(nearest: [Candidate])
    /// Several formats fit, and none is chosen.
    case ambiguous([Candidate])
  }

  /// A possible format of a document, with reasons.
  public struct Candidate: Sendable {
    public let format: BackupFormat
    /// The name of the document's dialect, if it has one.
    public let dialect: String?
    /// The criteria that the document satisfies: `/cars/*/milleageSyncedAt exists`.
    public let reasons: [String]
    /// The criteria that the document doesn't satisfy; empty if the format fits.
    public let missing: [String]
  }

  /// Detects the format of a document from its first bytes (``prefixSize`` of them are read).
  ///
  /// - Parameter container: The document's container.
  package func detect(in prefix: [UInt8], container: BackupFormat.Container = .json) -> Detection {
    detect(DocumentOutline(of: prefix, in: container, for: outlinePaths.of(self)))
  }

  /// Detects the format of a document from its outline.
  package func detect(_ outline: DocumentOutline) -> Detection {
    let matcher = Pattern.Matcher()
    // Reasons take longer than the verdict, and most documents have one format.
    let fitting = entries.filter { $0.description.detection?.holds(in: outline, matcher: matcher) == true }
    func evidence(_ entry: CatalogEntry) -> (entry: CatalogEntry, evidence: Evidence)? {
      entry.description.detection.map { (entry, Evidence(of: $0, in: outline, matcher: matcher)) }
    }
    func candidate(_ entry: CatalogEntry, _ evidence: Evidence) -> Candidate {
      let format = entry.format
      return Candidate(
        format: format, dialect: evidence.holds ? format.dialect(in: outline) : nil, reasons: evidence.reasons,
        missing: evidence.missing)
    }
    let candidates = fitting.compactMap(evidence).map(candidate)
    if candidates.count == 1 { return .format(candidates[0]) }
    if candidates.count > 1 { return .ambiguous(candidates) }
    // A single name that several formats share doesn't make a document similar to any of them.
    let others = entries.compactMap(evidence).filter {
      $0.evidence.marks > 1 || $0.evidence.marks >= max(1, $0.evidence.missing.count)
    }
    return .unknown(nearest: others.sorted { $0.evidence.marks > $1.evidence.marks }.prefix(3).map(candidate))
  }

  /// Detects the format of an empty file by its name, which is the only evidence.
  ///
  /// - Parameter name: The file's name or path.
  package func detect(emptyFileNamed name: String) -> Candidate? {
    let name = name.split(separator: "/").last.map(String.init) ?? name
    let fitting = formats.filter { $0.emptyDocument != nil && $0.fileName?.fits(name) == true }
    guard fitting.count == 1, let format = fitting.first else { return nil }
    return Candidate(format: format, dialect: nil, reasons: ["it is empty and named \(name)"], missing: [])
  }

  /// The number of bytes of a document that ``detect(in:container:)`` reads.
  package static var prefixSize: Int { DocumentOutline.size }
}

/// A format of a catalog. Built-in formats are read on first use, because most runs need only one.
final class CatalogEntry: Sendable {
  let name: String
  private let state: Mutex<State>

  /// How a format's documents and files are recognised.
  struct Description {
    /// The detection criterion of the format. If `nil`, the format is never detected and must be named.
    let detection: DetectionCriterion?
    /// That criterion, and those of the format's dialects and migrations.
    let criteria: [DetectionCriterion]
    /// The names of the format's backup files.
    let fileName: BackupFileName?
  }

  private enum State {
    /// A built-in format, by its index, of which only the name has been read.
    case named(Int)
    case described(Int, Description)
    case read(BackupFormat, Description)
  }

  init(_ format: BackupFormat) {
    name = format.name
    state = Mutex(.read(format, Description(of: format)))
  }

  /// Reads the name in an embedded descriptor. Returns `nil` past the last one.
  init?(builtIn index: Int) throws(CofferError) {
    guard let descriptor = EmbeddedFile.format(index) else { return nil }
    // `backup` is the first large member of each descriptor, and `name` the first of `backup`.
    var reader = JSONEventReader(MemorySource(descriptor, chunkSize: 256))
    var path = PointerTree([["backup", "name"]])
    var name: String?
    while name == nil, try reader.next() {
      for number in 0..<reader.batch.count where !path.follow(reader.batch[number], of: reader.batch).isEmpty {
        name = reader.batch.text(of: reader.batch[number]).string
      }
    }
    guard let name else { preconditionFailure("the built-in descriptor \(index) has no backup with a name") }
    self.name = name
    state = Mutex(.named(index))
  }

  /// How it is recognised. Cost: the first access reads a part of an embedded descriptor.
  var description: Description {
    state.withLock { state in
      switch state {
      case .described(_, let description), .read(_, let description): return description
      case .named(let index):
        do {
          let description = try Description(builtIn: index)
          state = .described(index, description)
          return description
        } catch { preconditionFailure("the built-in descriptor \(name) is invalid: \(error)") }
      }
    }
  }

  /// The format. Cost: the first access reads an embedded descriptor, 3 to 30 kB of JSON.
  var format: BackupFormat {
    state.withLock { state in
      switch state {
      case .read(let format, _): return format
      case .named(let index), .described(let index, _):
        do {
          let format = try BackupFormat(descriptor: String(decoding: EmbeddedFile.format(index) ?? [], as: UTF8.self))
          state = .read(format, Description(of: format))
          return format
        } catch { preconditionFailure("the built-in descriptor \(name) is invalid: \(error)") }
      }
    }
  }
}

extension CatalogEntry.Description {
  fileprivate init(of format: BackupFormat) {
    detection = format.detection
    criteria = format.criteria
    fileName = format.fileName
  }

  fileprivate init(builtIn index: Int) throws(CofferError) {
    // Little more than `backup` is read.
    let source = MemorySource(EmbeddedFile.format(index) ?? [], chunkSize: 4096)
    guard let backup = try JSONValue.read(member: "backup", of: source) else {
      preconditionFailure("the built-in descriptor \(index) has no backup")
    }
    let description = RuleValue(backup, at: "/backup")
    let others =
      (description["dialects"]?.items ?? []).map { $0["detect"] } + (description["migrations"]?.items ?? []).map { $0["when"] }
    detection = try description["detect"].map { value throws(CofferError) in try DetectionCriterion(value) }
    criteria =
      [detection].compactMap(\.self)
      + (try others.compactMap(\.self).map { value throws(CofferError) in try DetectionCriterion(value) })
    fileName = try description["fileName"].map { value throws(CofferError) in try BackupFileName(value) }
  }
}

extension CofferError.Code {
  /// No known format fits the document.
  public static let unknownFormat = Self(rawValue: "unknown-format")
  /// Several formats fit.
  public static let ambiguousFormat = Self(rawValue: "ambiguous-format")
  /// The archive or document isn't a backup of any format that is allowed here.
  public static let notABackup = Self(rawValue: "not-a-backup")
  /// The version of a document or of a database's contents is newer than the newest known one.
  public static let newerVersion = Self(rawValue: "newer-version")
  /// The document's version is older than the oldest known one.
  public static let olderVersion = Self(rawValue: "older-version")
  /// The document's version is missing, ambiguous or invalid.
  public static let noVersion = Self(rawValue: "no-version")
  /// No migration leads to the requested version.
  public static let noMigration = Self(rawValue: "no-migration")
  /// A record or the envelope is too large to be changed.
  public static let sizeLimit = Self(rawValue: "size-limit")
  /// The steps of a migration would change the order of collections, which are too large to be buffered.
  public static let collectionOrder = Self(rawValue: "collection-order")
}
