extension ZIPReader {
  /// How an archive is read.
  public struct Options: Sendable {
    /// What it may come to: past that, reading ends with the error `limit`, whatever `faults` says.
    public var limits = ZIPLimits()
    /// What becomes of what is wrong with one entry.
    public var faults = Faults.refused

    public init() {}
  }

  /// What becomes of what is wrong with one entry, so that others can still be read.
  public enum Faults: Sendable {
    /// It is thrown.
    case refused
    /// It is noted, and reading goes on.
    case noted
  }
}
