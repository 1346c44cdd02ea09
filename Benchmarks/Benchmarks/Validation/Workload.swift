import Coffer
import SyntheticBackups

/// A generated backup, and a validator whose rules are compiled.
struct Workload {
  enum Rules { case anything, everyRule }

  let document: [UInt8]
  let events: Int
  let validator: Validator

  init(_ layout: JSONEventWriter.Layout, rules: Rules) throws {
    var sink = MemorySink()
    _ = try SyntheticBackup(options: .init(size: 32_000_000, seed: 7, layout: layout)).write(to: &sink)
    document = sink.bytes
    events = Self.eventCount(in: sink.bytes)
    // 2026-07-01T00:00:00Z: behind every date of the backup.
    let options = ValidationOptions(now: Instant(seconds: 1_782_864_000))
    var validator = Validator(try Self.validationRules(rules), options: options)
    try validator.prepare()
    self.validator = validator
  }

  private static func validationRules(_ rules: Rules) throws -> ValidationRules {
    switch rules {
    case .anything:
      return .document(try RuleDocument(MemorySource("true".utf8)), name: "anything")
    case .everyRule:
      guard let format = try FormatCatalog.builtIn()["ev-charging-tracker"] else {
        preconditionFailure("the format ships with Coffer")
      }
      return .format(format)
    }
  }

  /// The brackets, keys and scalars of a sound document.
  private static func eventCount(in document: [UInt8]) -> Int {
    var count = 0
    var isInString = false, isInScalar = false, isEscaped = false
    for byte in document {
      if isInString {
        isInString = isEscaped || byte != UInt8(ascii: "\"")
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        isInString = true
        count += 1
      case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"): count += 1
      case UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\n"): break
      default:
        if !isInScalar { count += 1 }
        isInScalar = true
        continue
      }
      isInScalar = false
    }
    return count
  }
}
