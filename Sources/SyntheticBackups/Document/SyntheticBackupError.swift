/// An error that prevents the generation of a backup.
public struct SyntheticBackupError: Error, Sendable, CustomStringConvertible {
  /// Stable for programs. Open: later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let tooManyDefects = Code(rawValue: "too-many-defects")
    public static let negativeDefects = Code(rawValue: "negative-defects")
    /// The format can't have defects of this kind, or the generator doesn't know how to plant them.
    public static let noSuchDefects = Code(rawValue: "no-such-defects")
    /// The rules don't constrain a value enough to generate it.
    public static let hintNeeded = Code(rawValue: "hint-needed")
    /// No document satisfies the rules, as far as the generator can tell.
    public static let impossible = Code(rawValue: "impossible")
    /// The format's backups aren't archives.
    public static let noArchive = Code(rawValue: "no-archive")
  }

  public let code: Code
  public let message: String

  public var description: String { message }

  static func tooManyDefects(_ kind: DefectKind, asked: Int, possible: Int) -> SyntheticBackupError {
    let advice =
      switch kind {
      case .version: "a document has one version"
      default: "make the document larger: at most every second record carries a defect"
      }
    return SyntheticBackupError(
      code: .tooManyDefects, message: "cannot plant \(asked) defects of kind \(kind.rawValue), only \(possible): \(advice)")
  }

  static func negativeDefects(_ kind: DefectKind) -> SyntheticBackupError {
    SyntheticBackupError(code: .negativeDefects, message: "cannot plant a negative number of defects of kind \(kind.rawValue)")
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
        "cannot generate values for '\(pointer)': \(reason) (add hints in backup.generate.values of the rule document)"
    )
  }

  package static func noArchive(_ format: String) -> SyntheticBackupError {
    SyntheticBackupError(
      code: .noArchive, message: "backups of \(format) are not ZIP archives: a descriptor describes archives in backup.archive")
  }

  static func impossible(_ pointer: String, _ reason: String) -> SyntheticBackupError {
    SyntheticBackupError(code: .impossible, message: "cannot generate '\(pointer)': \(reason)")
  }
}
