import Rules

/// The formats that a document may be of.
public struct FormatCatalog: Sendable {
  public let formats: [BackupFormat]

  public init(_ formats: [BackupFormat]) { self.formats = formats }

  /// The formats that ship with Coffer.
  ///
  /// - Throws: never in a build that passed its tests: the descriptors are part of the package.
  public static func builtIn() throws -> FormatCatalog {
    let descriptors = [
      PackageResources.ev_charging_tracker_json, PackageResources.ev_charging_tracker_specification_json,
    ]
    return FormatCatalog(try descriptors.map { try BackupFormat(descriptor: String(decoding: $0, as: UTF8.self)) })
  }

  public subscript(name: String) -> BackupFormat? { formats.first { $0.name == name } }

  /// What a document is, as its start shows.
  public enum Detection: Sendable {
    case format(BackupFormat)
    case unknown
    /// Several formats fit; none is chosen.
    case ambiguous([BackupFormat])
  }

  /// Tells the format of a document by its first bytes (`DocumentOutline.size` of them are looked at).
  package func detect(in prefix: [UInt8]) -> Detection {
    let outline = DocumentOutline(of: prefix)
    let matcher = Pattern.Matcher()
    let fitting = formats.filter { $0.detection?.holds(in: outline, matcher: matcher) ?? false }
    switch fitting.count {
    case 0: return .unknown
    case 1: return .format(fitting[0])
    default: return .ambiguous(fitting)
    }
  }

  /// How many bytes of a document ``detect(in:)`` looks at.
  package static var prefixSize: Int { DocumentOutline.size }
}
