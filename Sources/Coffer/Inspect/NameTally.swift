import BackupFormats

/// Counts names, in the order of their first occurrence.
///
/// Tallies of a document's parts, merged in document order, equal the tally of the whole: a part keeps all of its names, which
/// are few, and the whole keeps the first ones.
struct NameTally: Sendable {
  private(set) var fields: [Inspection.UnknownFields.Field] = []
  /// The number of occurrences of names that are not kept.
  private(set) var others = 0
  private let limit: Int
  private var places: [String: Int] = [:]

  /// The maximum number of names in a result.
  static let resultLimit = 64

  init(limit: Int = NameTally.resultLimit) { self.limit = limit }

  /// Returns the index of a name, or `nil` if it isn't kept.
  mutating func place(of name: String) -> Int? {
    if let known = places[name] { return known }
    guard fields.count < limit else { return nil }
    fields.append(Inspection.UnknownFields.Field(name: name, count: 0))
    places[name] = fields.count - 1
    return fields.count - 1
  }

  mutating func count(_ count: Int = 1, at place: Int?) {
    if let place { fields[place].count += count } else { others += count }
  }

  mutating func merge(_ next: NameTally) {
    for field in next.fields { count(field.count, at: place(of: field.name)) }
    others += next.others
  }

  var result: Inspection.UnknownFields { Inspection.UnknownFields(fields: fields, others: others) }
}
