import Findings
import Rules

/// A rule between values, which the observation suggests and only a second reading of the documents can prove.
struct Proposal: Sendable {
  enum Kind: Sendable {
    /// A field of the records at `record` is unique. Fields are reference tokens of JSON Pointers, or several with slashes.
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

  /// What a proposal is about. Of several proposals for one subject, the draft has the first that is not refuted.
  enum Subject: Hashable {
    case key(record: Int, field: String)
    case reference(record: Int, fields: String)
    case value(place: Int)
  }

  let kind: Kind
  /// The pointer of the rule's value, with `*` for any item.
  let pointer: String
  /// The rule in notes, such as `unique key` or `reference to /cars by id`.
  let name: String
  /// The evidence, for the comment.
  let evidence: String
  /// The order among the proposals for one subject.
  var rank = 0

  var subject: Subject {
    switch kind {
    case .unique(let record, let field, _, _): .key(record: record, field: field)
    case .reference(let record, let fields, _): .reference(record: record, fields: fields)
    case .count(let place, _), .sum(let place, _), .order(let place, _, _): .value(place: place)
    }
  }

  var isAboutKeys: Bool {
    switch kind {
    case .unique, .reference: true
    case .count, .sum, .order: false
    }
  }

  /// The code of the findings that refute it.
  static func code(_ number: Int) -> String { codePrefix + "\(number)" }
  static let codePrefix = "draft-"
}

/// How far the number of values supports a rule.
enum Confidence: String {
  case low, medium, high

  init(values: Int) { self = values >= 100 ? .high : values >= 10 ? .medium : .low }

  var sentence: String { "Confidence: \(rawValue)." }
}
