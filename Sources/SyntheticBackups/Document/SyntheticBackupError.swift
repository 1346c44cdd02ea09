/// Why a backup can't be generated as asked.
public struct SyntheticBackupError: Error, Sendable, CustomStringConvertible {
  /// Stable for programs. Open: later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let tooManyDefects = Code(rawValue: "too-many-defects")
    public static let negativeDefects = Code(rawValue: "negative-defects")
    /// Nothing in the format can be wrong in that way, or nothing that the generator knows.
    public static let noSuchDefects = Code(rawValue: "no-such-defects")
    /// The rules alone don't say enough of a value.
    public static let hintNeeded = Code(rawValue: "hint-needed")
    /// No document satisfies the rules, as far as the generator can tell.
    public static let impossible = Code(rawValue: "impossible")
    /// The format's backups are no archives.
    public static let noArchive = Code(rawValue: "no-archive")
  }

  public let code: Code
  public let message: String

  public var description: String { message }

  static func tooManyDefects(_ kind: DefectKind, asked: Int, possible: Int) -> SyntheticBackupError {
    let advice =
      switch kind {
      case .version: "a document has one version"
      default: "make the document larger: one record in two carries a defect at most"
      }
    return SyntheticBackupError(
      code: .tooManyDefects, message: "cannot plant \(asked) defects of kind \(kind.rawValue), only \(possible): \(advice)")
  }

  static func negativeDefects(_ kind: DefectKind) -> SyntheticBackupError {
    SyntheticBackupError(code: .negativeDefects, message: "cannot plant fewer than no defects of kind \(kind.rawValue)")
  }

  static func noSuchDefects(_ kind: DefectKind, known: [DefectKind], _ format: String) -> SyntheticBackupError {
    let list = known.isEmpty ? "none" : known.map(\.rawValue).joined(separator: ", ")
    return SyntheticBackupError(
      code: .noSuchDefects, message: "\(format) has no defects of kind \(kind.rawValue); it has \(list)")
  }

  static func hintNeeded(_ pointer: String, _ reason: String) -> SyntheticBackupError {
    SyntheticBackupError(
      code: .hintNeeded,
      message:
        "no values can be made up for '\(pointer)': \(reason) (backup.generate.values of the rule document is the place for hints)"
    )
  }

  package static func noArchive(_ format: String) -> SyntheticBackupError {
    SyntheticBackupError(
      code: .noArchive, message: "backups of \(format) are no ZIP archives: a descriptor's backup.archive says what those hold")
  }

  static func impossible(_ pointer: String, _ reason: String) -> SyntheticBackupError {
    SyntheticBackupError(code: .impossible, message: "nothing can be made up for '\(pointer)': \(reason)")
  }
}
