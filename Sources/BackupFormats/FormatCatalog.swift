import ByteStreams

/// The formats that a document may be of.
public struct FormatCatalog: Sendable {
  public let formats: [BackupFormat]

  /// The places that the formats' clues ask about.
  package let cluePaths: Set<String>

  public init(_ formats: [BackupFormat]) {
    self.formats = formats
    cluePaths = formats.reduce(into: []) { $0.formUnion($1.cluePaths) }
  }

  /// The formats that ship with Coffer.
  ///
  /// Cost: the first call reads the descriptors, 130 kB of JSON; later calls return the same catalog.
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
    return FormatCatalog(
      try names.map { try BackupFormat(descriptor: String(decoding: EmbeddedFile.format($0), as: UTF8.self)) })
  }

  public subscript(name: String) -> BackupFormat? { formats.first { $0.name == name } }
}
