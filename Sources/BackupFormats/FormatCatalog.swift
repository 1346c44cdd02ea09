/// The formats that a document may be of.
public struct FormatCatalog: Sendable {
  let entries: [CatalogEntry]
  /// The places that the formats' clues ask about.
  package let cluePaths: Set<String>

  public init(_ formats: [BackupFormat]) { self.init(formats.map(CatalogEntry.init)) }

  private init(_ entries: [CatalogEntry]) {
    self.entries = entries
    cluePaths = entries.reduce(into: []) { $0.formUnion($1.cluePaths) }
  }

  /// The same catalog with other formats in front.
  public func preceded(by formats: [BackupFormat]) -> FormatCatalog {
    formats.isEmpty ? self : FormatCatalog(formats.map(CatalogEntry.init) + entries)
  }

  /// All formats. Cost: reads those that ship with Coffer and haven't been asked for.
  public var formats: [BackupFormat] { entries.map(\.format) }

  public var names: [String] { entries.map(\.name) }

  /// The formats that ship with Coffer.
  ///
  /// Cost: the first call reads what tells them apart; each format is read when it is first asked for. Later calls return the same catalog.
  /// - Throws: never in a build that passed its tests: the descriptors are part of the package.
  public static func builtIn() throws -> FormatCatalog { try shared.get() }

  private static let shared = Result {
    let names = [
      "aquavate",
      "ev-charging-tracker",
      "ev-charging-tracker-specification",
      "keeptrack",
      "keeptrack-legacy-entries",
      "keeptrack-legacy-goals",
      "keeptrack-legacy-intake-types",
      "smilepile",
      "smilepile-specification",
      "swiff",
      "swiff-database-copy",
    ]
    return FormatCatalog(try names.map(CatalogEntry.init(builtIn:)))
  }

  public subscript(name: String) -> BackupFormat? { entries.first { $0.name == name }?.format }
}
