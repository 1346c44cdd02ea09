import BackupFormats
import JSONEvents
import Rules

/// The plan for inspecting the records of a collection.
struct CollectionPlan: Sendable {
  let pointer: String
  let title: String
  /// True if the rules describe the collection.
  let isKnown: Bool
  /// The member with a record's date.
  let date: String?
  let dateFormat: StringFormat
  /// The members that are arrays of records.
  let nested: [String]
  /// The prefix of the container entries' names, by member that names entries.
  let entryPrefixes: [String]
  /// True if members that the rules don't define count as unknown.
  let isClosed: Bool
  let patterns: [Pattern]
  let fields: FieldTable

  /// Creates the plan of an array that rules describe.
  ///
  /// - Parameter namesEntries: true to collect the container entries that records name.
  init(
    _ rules: RuleDocument, pointer: String, title: String, date: String?, _ dateFormat: StringFormat?, namesEntries: Bool = false
  ) {
    let shape = rules.recordShape(at: pointer)
    self.pointer = pointer
    self.title = title
    isKnown = true
    self.date = dateFormat == nil ? nil : date
    self.dateFormat = dateFormat ?? .dateTime
    isClosed = shape.isClosed
    patterns = shape.patterns
    var nested: [String] = []
    var prefixes: [String] = []
    var fields = FieldTable()
    for member in shape.members {
      if member.name == self.date {
        fields.add(member.name, .date)
      } else if member.holdsRecords {
        fields.add(member.name, .nested(nested.count))
        nested.append(member.name)
      } else if namesEntries, let prefix = member.entryPrefix {
        fields.add(member.name, .entry(prefixes.count))
        prefixes.append(prefix)
      } else if isClosed {
        fields.add(member.name, .known)
      }
    }
    self.nested = nested
    entryPrefixes = prefixes
    self.fields = fields
  }

  /// Creates the plan of an array that no rules describe.
  init(unknown name: String?) {
    pointer = name.map { "/" + $0.pointerToken } ?? ""
    title = name ?? "items"
    isKnown = false
    date = nil
    dateFormat = .dateTime
    nested = []
    entryPrefixes = []
    isClosed = false
    patterns = []
    fields = FieldTable()
  }
}
