extension ZIPReader {
  /// The options for reading an archive.
  public struct Options: Sendable {
    /// The limits of the archive: beyond them, reading ends with the error `limit`, regardless of `faults`.
    public var limits = ZIPLimits()
    /// How to treat faults in individual entries.
    public var faults = Faults.refused

    public init() {}
  }

  /// How to treat faults in individual entries, so that others can still be read.
  public enum Faults: Sendable {
    /// Faults are thrown.
    case refused
    /// Faults are recorded, and reading continues.
    case noted
  }
}
