/// How a finding compares with a baseline, a list of findings that are accepted.
public enum BaselineState: Sendable, Hashable {
  /// The baseline doesn't have it.
  case new
  /// The baseline accepts it, for this reason if it gives one.
  case known(reason: String?)
}
