/// The severity of a finding. Only errors make a document invalid.
public enum Severity: String, Sendable, CaseIterable, Comparable, BitwiseCopyable, Codable {
  case note, warning, error

  /// The order in which reports count and list.
  package static let mostSevereFirst: [Severity] = [.error, .warning, .note]

  public static func < (a: Severity, b: Severity) -> Bool { a.rank < b.rank }

  private var rank: Int {
    switch self {
    case .note: 0
    case .warning: 1
    case .error: 2
    }
  }
}
