package import JSONEvents
import Rules

/// What a document says of its version: read in one way by all who ask.
///
///     1   1.0   1e0        version 1, for numbers go by their value
///     "1"   "1.0"          version 1, where the format's rules have it say its version in a string; else none
///     null                 as if it weren't there
package enum FormatVersion: Sendable, Hashable {
  case absent
  case number(Int)
  /// What is no version, as a message calls it: `a boolean, not a whole number`.
  case other(String)
  /// It, or an object around it, is there several times.
  case several

  /// - Parameters:
  ///   - kind: what stands where the policy says.
  ///   - text: the scalar, its escapes resolved.
  package init(_ kind: Inspection.ValueKind, _ text: ByteView, by policy: BackupFormat.VersionPolicy) {
    switch kind {
    case .null: self = .absent
    case .number: self = Self.wholeNumber(text).map { .number($0) } ?? .other("no whole number of 64 bits")
    case .string where policy.takesStrings:
      self = Self.wholeNumber(text).map { .number($0) } ?? .other("a string that says no whole number")
    case .string, .boolean: self = .other("a \(kind.rawValue), not a whole number")
    case .array, .object: self = .other("an \(kind.rawValue), not a whole number")
    }
  }

  /// The version that it is taken for.
  package func number(ifAbsent: Int?) -> Int? {
    switch self {
    case .absent: ifAbsent
    case .number(let number): number
    case .other, .several: nil
    }
  }

  private static func wholeNumber(_ text: ByteView) -> Int? { ExactDecimal(text)?.int64.flatMap { Int(exactly: $0) } }
}
