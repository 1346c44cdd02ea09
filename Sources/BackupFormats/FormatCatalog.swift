import ByteStreams

/// The possible formats of a document.
public struct FormatCatalog: Sendable {
  let entries: [CatalogEntry]
  /// The paths that the formats' detection criteria use.
  package let criterionPaths: Set<String>

  public init(_ formats: [BackupFormat]) { self.init(formats.map(CatalogEntry.init)) }

  private init(_ entries: [CatalogEntry]) {
    self.entries = entries
    criterionPaths = entries.reduce(into: []) { $0.formUnion($1.criterionPaths) }
  }

  /// Returns the catalog with other formats before its own.
  public func preceded(by formats: [BackupFormat]) -> FormatCatalog {
    formats.isEmpty ? self : FormatCatalog(formats.map(CatalogEntry.init) + entries)
  }

  /// All formats. Cost: reads the built-in formats that have not been used yet.
  public var formats: [BackupFormat] { entries.map(\.format) }

  public var names: [String] { entries.map(\.name) }

  /// The built-in formats.
  ///
  /// Cost: the first access reads the detection criteria; each format is read on first use.
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
