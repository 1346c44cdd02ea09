import Rules

/// The kinds of defects in a generated backup, as in the formats' fact sheets.
public enum DefectKind: String, Sendable, Hashable, CaseIterable {
  /// A member is missing.
  case required
  /// A value has another JSON type.
  case type
  /// A value of another type replaces an object or an array.
  case shape
  /// A malformed string: a date, an amount, or any value with a pattern.
  case format
  /// A value is none of the allowed ones.
  case enumeration = "enum"
  /// A value or a count is outside of its bounds.
  case range
  /// Two values are in the wrong order: mileages, creation and update, or the fields that two records are sorted by.
  case order
  /// A date is in the 2090s.
  case future
  /// Two values contradict each other.
  case consistency
  /// A reference names a record that doesn't exist.
  case reference
  /// An identifier occurs twice.
  case duplicate
  /// A declared count is wrong.
  case count
  /// A declared sum is wrong.
  case sum
  /// The backup declares a newer version of the app, or one that never existed.
  case version
  /// A member that no version of the app knows.
  case unknown
  /// A member of another dialect.
  case dialect
  /// The digest of a file differs from the one that its record declares.
  case checksum
  /// The size of a file differs from the one that its record declares.
  case size
  /// A file that a record names is missing.
  case fileMissing = "file-missing"
  /// A file that no record names.
  case fileExtra = "file-extra"
  /// An entry name leads out of the folder that the archive is unpacked into.
  case pathUnsafe = "path-unsafe"
}

extension DefectKind {
  /// Returns the kind for a finding code. This is the only table that maps codes to kinds.
  ///
  /// A descriptor's own codes that aren't the name of a kind are contradictions between values.
  init(code: String, isContainer: Bool = false) {
    self =
      switch code {
      case "type": isContainer ? .shape : .type
      case "null": .type
      case "dependent-required": .required
      case "pattern": .format
      case "const": .enumeration
      case "minimum", "maximum", "exclusive-minimum", "exclusive-maximum", "multiple-of", "min-length", "max-length", "max-bytes",
        "min-items", "max-items", "min-properties", "max-properties", "format-minimum", "format-exclusive-minimum":
        .range
      case "format-maximum", "format-exclusive-maximum": .future
      case "foreign-key": .reference
      case "primary-key", "unique-key", "unique-items": .duplicate
      case "count-of": .count
      case "sum-of": .sum
      case "sorted-by": .order
      case "unknown-field", "additional-properties", "unevaluated-properties", "false-schema", "not": .unknown
      default: DefectKind(rawValue: code) ?? .consistency
      }
  }
}

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
  var options: [(branch: Int, choice: Int)] = [(0, 0)]
  /// The location of the rule.
  var location: String

  /// A site that carries at most one defect at a time.
  enum Site: Sendable, Hashable {
    case collection(Int)
    /// A value of the envelope, by its path.
    case envelope([String])
    /// The archive around the document.
    case archive
  }

  /// An edit of the value.
  enum Change: Sendable {
    /// Removes the value, or those at these paths.
    case remove([[String]]?)
    /// Replaces the value with one of these.
    case replace([JSONValue])
    /// Moves the value beyond a bound: another value, or `nil` for the same value of the preceding record.
    case beyond(Schema.DataReference?, Comparison, StringFormat?)
    /// Replaces the value with a time in the 2090s.
    case future(StringFormat)
    /// Gives the record's fields the values that other fields have in a record of these branches.
    case copy([[String]], from: Int, branches: Set<Int>, fields: [[String]])
    /// Copies the key of the array's first item to its second.
    case itemKey([[String]])
    /// Replaces the reference with a key that no record has.
    case dangling(collection: Int, field: [String])
    /// Changes the number, string or boolean.
    case differ
    /// Keeps the record and omits the file that it names.
    case omit
    /// Adds an entry that no record names: the prefix and suffix of its number.
    case stray(String, String)

    var choiceCount: Int {
      if case .replace(let values) = self { values.count } else { 1 }
    }
  }
}
