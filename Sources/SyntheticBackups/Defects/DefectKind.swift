/// What can be wrong in a generated backup: the kinds that the formats' fact sheets speak of.
public enum DefectKind: String, Sendable, Hashable, CaseIterable {
  /// A member is missing.
  case required
  /// A value has another JSON type.
  case type
  /// An object or an array is something else.
  case shape
  /// A text can't be read: a date, an amount, whatever has a pattern.
  case format
  /// A value is none of those that the app knows.
  case enumeration = "enum"
  /// A value or a count lies outside of its bounds.
  case range
  /// What must come first comes second: mileages, creation and update.
  case order
  /// A date lies in the 2090s.
  case future
  /// Two values contradict each other.
  case consistency
  /// A reference names a record that isn't there.
  case reference
  /// An identifier occurs twice.
  case duplicate
  /// A declared count is wrong.
  case count
  /// A declared sum is wrong.
  case sum
  /// The backup was written by a newer app, or by one that never was.
  case version
  /// A member that no version of the app knows.
  case unknown
  /// A member of another dialect.
  case dialect
  /// A file is another one than its digest says.
  case checksum
  /// A file has another size than it should have.
  case size
  /// A file that a record names isn't there.
  case fileMissing = "file-missing"
  /// No record names a file.
  case fileExtra = "file-extra"
  /// A name leads out of the folder that it should stand in.
  case pathUnsafe = "path-unsafe"
}

extension DefectKind {
  /// Which kind a finding of a code is of: the one table between the codes and the kinds.
  ///
  /// A descriptor's own codes that are no kind's name stand for contradictions between values.
  init(code: String, isContainer: Bool = false) {
    self =
      switch code {
      case "type": isContainer ? .shape : .type
      case "null": .type
      case "dependent-required": .required
      case "pattern": .format
      case "const": .enumeration
      case "minimum", "maximum", "exclusive-minimum", "exclusive-maximum", "multiple-of", "min-length", "max-length", "min-items",
        "max-items",
        "min-properties", "max-properties", "format-minimum", "format-exclusive-minimum":
        .range
      case "format-maximum", "format-exclusive-maximum": .future
      case "foreign-key": .reference
      case "primary-key", "unique-key", "unique-items": .duplicate
      case "count-of": .count
      case "sum-of": .sum
      case "unknown-field", "additional-properties", "unevaluated-properties", "false-schema", "not": .unknown
      default: DefectKind(rawValue: code) ?? .consistency
      }
  }
}
