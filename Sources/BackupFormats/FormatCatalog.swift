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
  /// - Throws: never in a build that passed its tests: the descriptors are part of the package.
  public static func builtIn() throws -> FormatCatalog {
    let descriptors = [
      PackageResources.aquavate_json,
      PackageResources.ev_charging_tracker_json,
      PackageResources.ev_charging_tracker_specification_json,
      PackageResources.keeptrack_json,
      PackageResources.keeptrack_legacy_entries_json,
      PackageResources.keeptrack_legacy_goals_json,
      PackageResources.keeptrack_legacy_intake_types_json,
      PackageResources.smilepile_json,
      PackageResources.smilepile_specification_json,
      PackageResources.swiff_json,
      PackageResources.swiff_database_copy_json,
    ]
    return FormatCatalog(try descriptors.map { try BackupFormat(descriptor: String(decoding: $0, as: UTF8.self)) })
  }

  public subscript(name: String) -> BackupFormat? { formats.first { $0.name == name } }
}
