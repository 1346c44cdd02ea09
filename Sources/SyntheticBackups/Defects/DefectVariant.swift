import Rules

/// One variant of a kind of defect: a place, a change, and the finding that a validator must report for it.
struct DefectVariant: Sendable {
  /// The position of the variant among all candidates.
  var order = 0
  var kind: DefectKind
  var code: String
  var site: Site
  /// The path from the record, or the envelope's value, to the changed value. Array items are given by index.
  var path: [String]
  var change: Change
  /// The finding's pointer relative to the record. For a candidate: the possible pointers.
  var pointers: [[String]]
  /// The branches of the record that can carry it, each with one of the change's choices.
  var options: [Option] = [Option(branch: 0, choice: 0)]
  /// The location of the rule.
  var location: String

  struct Option: Sendable, Hashable {
    var branch: Int
    var choice: Int
  }

  /// A site that carries at most one defect at a time.
  enum Site: Sendable, Hashable {
    case collection(Int)
    /// A value of the envelope, by its path.
    case envelope([String])
    /// The archive around the document.
    case archive
  }

  enum Change: Sendable {
    case remove
    case removeAll([[String]])
    /// Replaces the value with one of these.
    case replace([JSONTree])
    /// Moves the value beyond a bound that is another value.
    case beyond(Schema.DataReference, Comparison, StringFormat?)
    /// Replaces the value with a time in the 2090s.
    case future(StringFormat)
    /// Copies the key of an earlier record.
    case key([[String]])
    /// Copies the key of the array's first item to its second.
    case itemKey([[String]])
    /// Replaces the reference with a key that no record has.
    case dangling(collection: Int, field: [String])
    /// Refers to a record that doesn't satisfy the condition: `fields` get the values of the record's `targets`.
    case misfit(collection: Int, branches: UInt64, fields: [[String]], targets: [[String]])
    /// Replaces one field of a reference with the key of a different record than the other fields refer to.
    case mismatch(collection: Int, field: [String])
    /// Changes the number, string or boolean.
    case differ
    /// Moves the value before the preceding record's, or after it if the records descend.
    case misplace(isDescending: Bool)
    /// Changes the digest.
    case otherDigest
    /// Keeps the record and omits the file that it names.
    case omit
    /// Adds an entry that no record names: the prefix and suffix of its number.
    case stray(String, String)
  }
}

extension DefectVariant.Change {
  var choiceCount: Int {
    if case .replace(let values) = self { values.count } else { 1 }
  }
}
