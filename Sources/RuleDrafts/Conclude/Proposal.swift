import Rules

/// A rule that the observation suggests and only a second reading of the documents can prove.
struct Proposal: Sendable {
  enum Kind: Sendable {
    /// A field of the records at `record` is unique.
    case unique(record: Int, field: String, isPrimary: Bool, acrossArrays: Bool)
    /// The values of a field are keys of other collections.
    case reference(record: Int, fields: String, targets: [(resource: String, field: String)])
    /// The number at `place` is that of an array's items.
    case count(place: Int, array: String)
    /// The number at `place` is the sum of others.
    case sum(place: Int, values: String)
    /// The value at `place` is no earlier or smaller than a field of the same object.
    case order(place: Int, field: String, format: StringFormat?)
  }

  let kind: Kind
  /// The pointer of the rule's value, with `*` for any item.
  let pointer: String
  /// The claim in words.
  let claim: String
  /// The evidence, for the comment.
  let evidence: String
  /// The proposal to use if this one is refuted.
  var rank = 0

  /// The code of the findings that refute it.
  static func code(_ number: Int) -> String { codePrefix + "\(number)" }
  static let codePrefix = "draft-"
}
