package import JSONEvents
import Rules

/// The version that a document declares, read in the same way everywhere.
///
///     1   1.0   1e0        version 1: numbers are compared by value
///     "1"   "1.0"          version 1 if the format's rules allow a string, otherwise no version
///     null                 the same as a missing version
package enum FormatVersion: Sendable, Hashable {
  case absent
  case number(Int)
  /// A value that isn't a version, with its description in messages: `a boolean, not an integer`.
  case other(String)
  /// The member, or an object around it, occurs several times.
  case several

  /// - Parameters:
  ///   - kind: The kind of value at the policy's pointer.
  ///   - text: The scalar, with its escapes resolved.
  package init(_ kind: Inspection.ValueKind, _ text: ByteView, by policy: BackupFormat.VersionPolicy) {
    switch kind {
    case .null: self = .absent
    case .number: self = Self.wholeNumber(text).map { .number($0) } ?? .other("not a 64-bit integer")
    case .string where policy.takesStrings:
      self = Self.wholeNumber(text).map { .number($0) } ?? .other("a string that is not an integer")
    case .string, .boolean, .array, .object: self = .other("\(kind.phrase), not an integer")
    }
  }

  /// Returns the version number, with a default for documents that don't declare one.
  package func number(ifAbsent: Int?) -> Int? {
    switch self {
    case .absent: ifAbsent
    case .number(let number): number
    case .other, .several: nil
    }
  }

  private static func wholeNumber(_ text: ByteView) -> Int? { ExactDecimal(text)?.int64.flatMap { Int(exactly: $0) } }
}
