import JSONEvents
import Rules

/// What the records of a collection look like: learned from the whole ones, or known from the rules, to recognise the next one behind
/// damage.
struct RecordShape {
  /// The names of members, and in how many records each was.
  private var counts: [[UInt8]: Int] = [:]
  private(set) var recordCount = 0
  /// The names that the rules describe, and those of them that they require.
  private var described: Set<[UInt8]> = []
  private var demanded: Set<[UInt8]> = []
  /// The names in objects inside records.
  private var innerNames: Set<[UInt8]> = []
  /// True if some records, or some members' values, are strings.
  private(set) var hasStrings = false
  /// True if some are numbers, literals or arrays.
  private(set) var hasOthers = false
  /// True if objects in records look like records, such as the replies to a comment.
  private(set) var isRecursive = false

  /// Enough to know the names; more would only take time.
  private static let sample = 256
  private static let nameLimit = 1024
  private static let innerSize = 16 << 10

  init() {}

  init(_ fields: [RuleDocument.Field]) {
    for field in fields {
      let path = field.path.split(separator: "/").map { Array($0.utf8) }
      guard let name = path.first else { continue }
      described.insert(name)
      if path.count == 1, field.missing == .error { demanded.insert(name) }
      innerNames.formUnion(path.dropFirst().filter { $0 != Array("*".utf8) })
    }
  }

  // MARK: Learning

  var isComplete: Bool { recordCount >= Self.sample }

  /// Learns from a whole record.
  ///
  /// - Parameter names: the names of its members.
  mutating func learn(_ record: ByteView, names: [[UInt8]], limits: ReaderLimits) {
    if isComplete { return }
    switch record[0] {
    case UInt8(ascii: "{") where names.isEmpty: break
    case UInt8(ascii: "{"):
      recordCount += 1
      for name in Set(names) where counts[name] != nil || counts.count < Self.nameLimit { counts[name, default: 0] += 1 }
      learnInside(record, limits)
    case UInt8(ascii: "\""): hasStrings = true
    default: hasOthers = true
    }
  }

  /// Learns from the objects inside a record.
  private mutating func learnInside(_ record: ByteView, _ limits: ReaderLimits) {
    var index = 1
    var scan = ValueScan(record, limits: limits, isEnd: true)
    let end = min(record.count, Self.innerSize)
    while index < end {
      switch record[index] {
      case UInt8(ascii: "\""):
        guard case .value(let end) = scan.string(at: index) else { return }
        index = end
      case UInt8(ascii: "{"):
        guard case .value = scan.scan(from: index, depth: 1) else { return }
        let names = scan.names.map { record[$0].array }
        if innerNames.count < Self.nameLimit { innerNames.formUnion(names) }
        isRecursive = isRecursive || isLike(names)
        index += 1
      default: index += 1
      }
    }
  }

  // MARK: Names

  private var isKnown: Bool { recordCount > 0 || !described.isEmpty }

  /// The names that all records have.
  private var required: Set<[UInt8]> {
    demanded.isEmpty && recordCount > 0 ? Set(counts.filter { $0.value == recordCount }.keys) : demanded
  }

  /// Returns true if records have a member of this name.
  func knows(_ name: [UInt8]) -> Bool { counts[name] != nil || described.contains(name) }

  /// Returns true if objects inside records have a member of this name.
  func knowsInside(_ name: [UInt8]) -> Bool { innerNames.contains(name) }

  /// Returns true for a name that no record has, as far as records are known.
  func isForeign(_ name: [UInt8]) -> Bool { (isKnown || hasStrings || hasOthers) && !knows(name) && !knowsInside(name) }

  /// True if several objects have mostly the same names: what holds them is a collection.
  var isKeyed: Bool { recordCount > 1 && 2 * required.count >= counts.count }

  /// Returns true if an object with these names may be a record: it has half of what records have, and half of what it has is known.
  func mayBe(_ names: [[UInt8]]) -> Bool { !isKnown ? Self.areNames(names) : has(names, atLeast: 0.5) }

  /// Returns true if an object with these names is much like a record: it has most of what all records have.
  func isLike(_ names: [[UInt8]]) -> Bool { !required.isEmpty && has(names, atLeast: 0.75) }

  /// Returns true if all names are those of records, and none that records need is missing.
  func fits(_ names: [[UInt8]]) -> Bool { !required.isEmpty && has(names, atLeast: 1) }

  private func has(_ names: [[UInt8]], atLeast part: Double) -> Bool {
    let required = required
    return Self.areNames(names) && Double(names.count(where: knows)) >= part * Double(names.count)
      && Double(names.count(where: required.contains)) >= part * Double(required.count)
  }

  private static func areNames(_ names: [[UInt8]]) -> Bool { names.contains { !isBetweenStrings($0) } }

  /// Returns true for what is between two strings. If a quotation mark is lost, it is taken for a string, and the strings for what is
  /// between them: then each "string" begins and ends with punctuation, as in `"a": "b", "c"`.
  static func isBetweenStrings(_ text: [UInt8]) -> Bool {
    guard let first = text.first(where: { !SyntaxDiagnosis.isSpace($0) }),
      let last = text.last(where: { !SyntaxDiagnosis.isSpace($0) })
    else { return true }
    return ",:]}".utf8.contains(first) && ",:[{".utf8.contains(last)
  }
}

/// What the rules say about a document's collections.
struct KnownCollections {
  /// By their pointers.
  private(set) var shapes: [String: RecordShape] = [:]
  /// The names of the root's members.
  private(set) var memberNames: Set<[UInt8]> = []

  init() {}

  init(_ rules: RuleDocument) {
    for field in rules.rootFields {
      if let name = field.path.split(separator: "/").first { memberNames.insert(Array(name.utf8)) }
    }
    for collection in rules.collections {
      shapes[collection.pointer] = RecordShape(rules.recordFields(of: collection).fields)
      if let tokens = collection.pointer.pointerTokens, tokens.count == 1 { memberNames.insert(Array(tokens[0].utf8)) }
    }
  }
}
