import Coffer

/// A document and a validator with compiled rules, both made before the measurement.
struct Workload {
  enum Rules { case anything, everyRule }

  /// The size of a document: larger than the cache, or small enough to fit in it.
  enum Size: Int, CustomStringConvertible {
    case large = 32_000_000
    case small = 100_000

    var description: String { self == .large ? "32 MB" : "100 kB" }
  }

  /// The workloads of every suite.
  static var all: [(Shape, Size)] { Shape.allCases.map { ($0, .large) } + [(.pretty, .small), (.compact, .small)] }

  let document: [UInt8]
  let events: Int
  let rules: ValidationRules
  let validator: Validator

  init(_ shape: Shape, of size: Size, rules: Rules) throws {
    document = try shape.document(of: size.rawValue)
    events = Self.eventCount(in: document)
    // 2026-07-01T00:00:00Z: after every date of a backup.
    var options = ValidationOptions(now: Instant(seconds: 1_782_864_000))
    options.execution.jobs = 1
    self.rules = try Self.validationRules(rules, for: shape)
    let validator = Validator(self.rules, options: options)
    try validator.prepare()
    self.validator = validator
  }

  private static func validationRules(_ rules: Rules, for shape: Shape) throws -> ValidationRules {
    switch rules {
    case .anything: .document(try RuleDocument(MemorySource("true".utf8)), name: "anything")
    case .everyRule: try shape.rules()
    }
  }

  /// Counts the brackets, keys and scalars of a valid document.
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
