/// The subject of a finding: its place and value, as far as they must be kept.
struct FindingSubject: Sendable {
  var pointer: String
  var offset: Int
  var line: Int
  var column: Int
  /// The value as spelled in the document.
  var excerpt: String?
}
