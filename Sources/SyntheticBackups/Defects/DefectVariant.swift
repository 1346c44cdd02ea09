import Rules

/// One way in which a kind of defect shows itself: a place, what is done to it, and the finding that a validator must have for it.
struct DefectVariant: Sendable {
  /// Its place among all that the rules suggest.
  var order = 0
  var kind: DefectKind
  var code: String
  var site: Site
  /// From the record, or the spine's value, to what is changed; items of arrays in it by their index.
  var path: [String]
  var change: Change
  /// Where the finding points, from the record on. Of a candidate: where it may.
  var pointers: [[String]]
  /// Which branches of the record carry it, each with which of the change's choices.
  var options: [Option] = [Option(branch: 0, choice: 0)]
  /// Where the rule stands.
  var location: String

  struct Option: Sendable, Hashable {
    var branch: Int
    var choice: Int
  }

  /// What carries at most one defect at a time.
  enum Site: Sendable, Hashable {
    case collection(Int)
    /// A value of the spine, by the names that lead to it.
    case spine([String])
    /// The archive around the document.
    case archive
  }

  enum Change: Sendable {
    case remove
    case removeAll([[String]])
    /// One of these stands there.
    case replace([JSONTree])
    /// On the wrong side of a value elsewhere.
    case beyond(Schema.DataReference, Comparison, StringFormat?)
    /// In the 2090s.
    case future(StringFormat)
    /// The key of a record that stands before.
    case key([[String]])
    /// The key of the array's first item, at its second.
    case itemKey([[String]])
    /// The key of no record.
    case dangling(collection: Int, field: [String])
    /// The key of a record that doesn't satisfy the condition: the fields with those of the record.
    case misfit(collection: Int, branches: UInt64, fields: [[String]], targets: [[String]])
    /// Another record's key than the one that the other fields name.
    case mismatch(collection: Int, field: [String])
    /// Another number, text or truth value than it is.
    case differ
    /// Another digest than it is.
    case otherDigest
    /// The record stays as it is; the file that it names is left out.
    case omit
    /// An entry that no record names: what stands before and behind its number.
    case stray(String, String)
  }
}

extension DefectVariant.Change {
  var choiceCount: Int {
    if case .replace(let values) = self { values.count } else { 1 }
  }
}
