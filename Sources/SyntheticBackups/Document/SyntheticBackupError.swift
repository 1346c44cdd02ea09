/// Why a backup can't be generated as asked.
public struct SyntheticBackupError: Error, Sendable, CustomStringConvertible {
  /// Stable for programs. Open: later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let tooManyDefects = Code(rawValue: "too-many-defects")
    public static let negativeDefects = Code(rawValue: "negative-defects")
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
}
