extension Inspection {
  /// Whether the document can be imported, as far as its format and version decide that: what is in it is for a validation to judge.
  public enum Importability: String, Sendable, CaseIterable {
    /// It is of the current version, or its format has none.
    case current
    /// It is of an older version that is known, or of a format that another has come after: `Inspection.migration` says what it would become.
    case older
    case olderThanKnown = "older-than-known"
    case newer
    /// It doesn't say its version, or not as a whole number.
    case noVersion = "no-version"
    case unknownFormat = "unknown-format"
    case ambiguousFormat = "ambiguous-format"
    /// Entries of the archive around it are unsafe or damaged.
    case faultyArchive = "faulty-archive"
    /// It can't be read to its end.
    case unreadable

    public var isPossible: Bool { self == .current || self == .older }
  }

  /// What the format and the version come to.
  package func decidedImportability(hasPolicy: Bool) -> Importability {
    switch format {
    case _ where error != nil: return .unreadable
    case .unknown: return .unknownFormat
    case .ambiguous: return .ambiguousFormat
    case .known, .rules: break
    }
    guard hasPolicy else { return migration == nil ? .current : .older }
    guard let version, let number = version.number else { return .noVersion }
    if number > version.current { return .newer }
    if number < version.oldestKnown { return .olderThanKnown }
    return number < version.current ? .older : .current
  }
}
