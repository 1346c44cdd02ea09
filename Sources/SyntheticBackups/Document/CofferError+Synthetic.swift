public import ByteStreams

extension CofferError.Code {
  public static let tooManyDefects = Self(rawValue: "too-many-defects")
  public static let negativeDefects = Self(rawValue: "negative-defects")
  /// The format can't have defects of this kind, or the generator doesn't know how to plant them.
  public static let noSuchDefects = Self(rawValue: "no-such-defects")
  /// The rules don't constrain a value enough to generate it.
  public static let hintNeeded = Self(rawValue: "hint-needed")
  /// No document satisfies the rules, as far as the generator can tell.
  public static let impossible = Self(rawValue: "impossible")
  /// The format's backups aren't archives.
  public static let noArchive = Self(rawValue: "no-archive")
}

extension CofferError {
  static func tooManyDefects(_ kind: DefectKind, asked: Int, possible: Int) -> CofferError {
    let advice =
      switch kind {
      case .version: "a document has one version"
      default: "make the document larger: at most every second record carries a defect"
      }
    return CofferError(
      .tooManyDefects, "cannot plant \(asked) defects of kind \(kind.rawValue), only \(possible): \(advice)")
  }

  static func negativeDefects(_ kind: DefectKind) -> CofferError {
    CofferError(.negativeDefects, "cannot plant a negative number of defects of kind \(kind.rawValue)")
  }

  static func noSuchDefects(_ kind: DefectKind, known: [DefectKind], _ format: String) -> CofferError {
    let list = known.isEmpty ? "none" : known.map(\.rawValue).joined(separator: ", ")
    return CofferError(
      .noSuchDefects, "\(format) has no defects of kind \(kind.rawValue); it has \(list)")
  }

  static func hintNeeded(_ pointer: String, _ reason: String) -> CofferError {
    CofferError(
      .hintNeeded,
      "cannot generate values for '\(pointer)': \(reason) (add hints in backup.generate.values of the rule document)"
    )
  }

  package static func noArchive(_ format: String) -> CofferError {
    CofferError(
      .noArchive, "backups of \(format) are not ZIP archives: a descriptor describes archives in backup.archive")
  }

  static func impossible(_ pointer: String, _ reason: String) -> CofferError {
    CofferError(.impossible, "cannot generate '\(pointer)': \(reason)")
  }
}
