/// What can be wrong in a generated backup.
public enum DefectKind: String, Sendable, Hashable, CaseIterable {
  /// A member is missing.
  case required
  /// A value has another JSON type.
  case type
  /// A date or an amount can't be read.
  case format
  /// A text is none of those that the app knows.
  case enumeration = "enum"
  /// A number or an amount is negative.
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
  /// The backup was written by a newer app. At most once in a document.
  case version
  /// A member that no version of the app knows.
  case unknown
  /// A member of the specification's dialect, which no app ever wrote.
  case dialect
}

extension DefectKind {
  /// Which code the finding of a defect of this kind has: the one table between the kinds and the codes.
  func code(at field: String) -> String {
    switch (self, field) {
    case (.required, _): "required"
    case (.type, _): "type"
    case (.format, _): "format"
    case (.enumeration, _): "enum"
    case (.range, "cost"): "format-minimum"
    case (.range, _): "minimum"
    case (.order, _): "order"
    case (.future, _): "format-maximum"
    case (.consistency, _): "consistency"
    case (.reference, _): "foreign-key"
    case (.duplicate, "notificationId"): "unique-key"
    case (.duplicate, _): "primary-key"
    case (.version, _): "version"
    case (.unknown, _): "unknown-field"
    case (.dialect, _): "dialect"
    }
  }
}
