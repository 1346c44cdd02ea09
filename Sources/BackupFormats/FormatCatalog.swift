import ByteStreams

/// The possible formats of a document.
public struct FormatCatalog: Sendable {
  let entries: [CatalogEntry]
  /// The paths that the formats' detection criteria use.
  package let cluePaths: Set<String>

  public init(_ formats: [BackupFormat]) { self.init(formats.map(CatalogEntry.init)) }

  private init(_ entries: [CatalogEntry]) {
    self.entries = entries
    cluePaths = entries.reduce(into: []) { $0.formUnion($1.cluePaths) }
  }

  /// Returns the catalog with other formats before its own.
  public func preceded(by formats: [BackupFormat]) -> FormatCatalog {
    formats.isEmpty ? self : FormatCatalog(formats.map(CatalogEntry.init) + entries)
  }

  /// All formats. Cost: reads the built-in formats that have not been used yet.
  public var formats: [BackupFormat] { entries.map(\.format) }

  public var names: [String] { entries.map(\.name) }

  /// Returns the formats that ship with Coffer.
  ///
  /// Cost: the first call reads the detection criteria; each format is read on first use. Later calls return the same catalog.
  /// - Throws: Never in a build that passed its tests: the descriptors are part of the package.
  public static func builtIn() throws -> FormatCatalog { try shared.get() }

  private static let shared = Result { FormatCatalog(try EmbeddedFile.formatNames.map(CatalogEntry.init(builtIn:))) }

  public subscript(name: String) -> BackupFormat? { entries.first { $0.name == name }?.format }
}
