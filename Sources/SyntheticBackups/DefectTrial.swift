import ByteStreams
import Findings
import JSONEvents
import Rules

/// Tries candidates: plants each in a few records of each branch, and keeps it if validation reports the expected finding and
/// nothing else.
///
/// Many are tried in one document, each in its own records. If there is an unexpected finding elsewhere, the candidates are
/// halved until the one that causes it is isolated.
struct DefectTrial {
  let plan: Plan
  let program: RuleProgram
  let hints: GenerationHints
  /// The number of records in which each candidate is tried.
  private static let repeats = 3
  /// The maximum number of branches per record, and of choices per defect, that are tried.
  private static let branchLimit = 12
  private static let choiceLimit = 6

  /// Returns the candidates that give their finding and no other, each with all options that do.
  func proven(_ candidates: [DefectVariant]) -> [DefectVariant] {
    var passed: [DefectVariant] = []
    // Each collection in its own document: a defect in a key can look like a matching defect in a reference. A value of the
    // envelope carries one defect at a time.
    var inCollections: [Int: [DefectVariant]] = [:]
    for attempt in candidates.flatMap(attempts) {
      if case .collection(let number) = attempt.site {
        inCollections[number, default: []].append(attempt)
      } else {
        passed += passing([attempt])
      }
    }
    for number in plan.collections.indices { passed += passing(inCollections[number] ?? []) }
    var variants: [Int: DefectVariant] = [:]
    for attempt in passed {
      guard let known = variants[attempt.order] else {
        variants[attempt.order] = attempt
        continue
      }
      if known.pointers == attempt.pointers { variants[attempt.order]?.options += attempt.options }
    }
    return variants.values.sorted { $0.order < $1.order }
  }

  /// Returns a candidate with each of its options and pointers.
  private func attempts(for candidate: DefectVariant) -> [DefectVariant] {
    var branches = 0..<1
    if case .collection(let number) = candidate.site {
      branches = 0..<min(Self.branchLimit, plan.collections[number].branches.count)
    }
    return branches.flatMap { branch in
      (0..<min(Self.choiceLimit, candidate.change.choiceCount)).flatMap { choice in
        candidate.pointers.map { pointer in
          var attempt = candidate
          attempt.pointers = [pointer]
          attempt.options = [(branch, choice)]
          return attempt
        }
      }
    }
  }

  /// Orders variants so that each site comes once before any site comes again.
  static func inTurn(_ variants: [DefectVariant]) -> [DefectVariant] {
    var turns: [DefectVariant.Site: [DefectKind: Int]] = [:]
    let numbered = variants.sorted { $0.order < $1.order }.map { variant in
      let turn = turns[variant.site, default: [:]][variant.kind, default: 0]
      turns[variant.site, default: [:]][variant.kind] = turn + 1
      return (turn: turn, variant: variant)
    }
    return numbered.sorted { ($0.turn, $0.variant.order) < ($1.turn, $1.variant.order) }.map(\.variant)
  }

  private func passing(_ attempts: [DefectVariant]) -> [DefectVariant] {
    guard let first = attempts.first else { return [] }
    /// Tries the attempts again, each half in its own document.
    func halves(_ attempts: [DefectVariant]) -> [DefectVariant] {
      let middle = attempts.count / 2
      return attempts.count == 1 ? [] : passing(Array(attempts[..<middle])) + passing(Array(attempts[middle...]))
    }
    let repeats = if case .collection = first.site { Self.repeats } else { 1 }
    let allocation = DefectAllocation(variants: attempts, tallies: attempts.map { _ in repeats })
    guard let population = population(for: allocation) else { return halves(attempts) }
    var document = DocumentWriter(plan, population, layout: .compact)
    var sink = MemorySink()
    var expected: [String: (attempt: Int, line: String)] = [:]
    var planted = attempts.map { _ in 0 }
    do {
      try document.write(to: &sink) { number, record, entry throws(CofferError) in
        planted[number] += 1
        expected[record] = (number, "\(entry.code) \(entry.pointer)")
      }
      let findings = try program.findings(
        inSample: sink.bytes, hints, facts: document.facts(), most: 8 * expected.count + 64)
      var isBad = planted.map { $0 < repeats }
      var found: Set<String> = []
      var hasStrays = false
      for finding in findings {
        guard let record = Self.record(of: finding.place.pointer, in: expected), let (attempt, line) = expected[record] else {
          hasStrays = true
          continue
        }
        if line != "\(finding.code) \(finding.place.pointer)" || !found.insert(record).inserted { isBad[attempt] = true }
      }
      for (record, entry) in expected where !found.contains(record) { isBad[entry.attempt] = true }
      let good = zip(attempts, isBad).filter { !$1 }.map(\.0)
      // One attempt that causes findings elsewhere is bad, too.
      guard hasStrays else { return good }
      return attempts.count == 1 || good.isEmpty ? [] : good.count < attempts.count ? passing(good) : halves(good)
    } catch {
      return halves(attempts)
    }
  }

  /// Returns a document with room for the defects, or `nil` if there is none.
  private func population(for allocation: DefectAllocation) -> Population? {
    var counts = plan.collections.enumerated().map { number, collection in
      let defects = allocation.defects(at: .collection(number))
      return min(collection.most, max(collection.least, 6, defects > 0 ? 2 * defects + collection.heads.count + 4 : 0))
    }
    for (index, collection) in plan.collections.enumerated() {
      // Collections with one-to-one references need equal counts, or the tried records would have no references.
      for other in collection.noMoreThan {
        let count = min(collection.most, max(counts[index], counts[other]))
        (counts[index], counts[other]) = (count, max(count, counts[other]))
      }
    }
    for (number, collection) in plan.collections.enumerated() {
      let room = SlotSpacing.capacity(records: counts[number], firstValid: collection.heads.count)
      if allocation.defects(at: .collection(number)) > room { return nil }
    }
    return Population(seed: 0x7214A, counts: counts, allocation: allocation, plan: plan)
  }

  /// Returns the record with a defect that contains a finding.
  private static func record(of pointer: String, in expected: [String: (attempt: Int, line: String)]) -> String? {
    var prefix = Substring(pointer)
    while expected[String(prefix)] == nil {
      guard let slash = prefix.lastIndex(of: "/") else { return nil }
      prefix = prefix[..<slash]
    }
    return String(prefix)
  }
}

/// Values that violate a rule about single values.
extension Schema.Assertion {
  var violations: [JSONValue] {
    switch self {
    case .types(let types): Self.others(than: types)
    case .values(let values): Self.others(than: values.map(\.value))
    case .bound(let comparison, .number(let bound)): Self.numbers(beyond: comparison, bound).map(JSONValue.number)
    case .multipleOf(let divisor):
      ["1", "0.5", "7", "0.001"].filter { ExactDecimal($0)?.isMultiple(of: divisor) == false }.map(JSONValue.number)
    case .length(let comparison, let count): Self.texts(beyond: comparison, count).map(JSONValue.string)
    case .own:
      mostBytes.map { count in
        // The text of two-byte characters is short enough for a limit of characters.
        (Self.texts(beyond: .atMost, count)
          + Self.texts(beyond: .atMost, count / 2).map { String(repeating: "é", count: $0.count) })
          .map(JSONValue.string)
      } ?? []
    case .pattern(let pattern): Self.strangeTexts.filter { !pattern.matches($0) }.map(JSONValue.string)
    case .format(let format): Self.texts(withoutFormat: format)
    case .formatBound(_, let comparison, .decimal(let bound)): Self.numbers(beyond: comparison, bound).map(JSONValue.string)
    case .formatBound(let format, let comparison, .instant(let instant)):
      [1, 400].map { format.value(of: instant.seconds + (comparison.isLower ? -$0 : $0) * 86_400) }
    case .formatBound(let format, .atLeast, .now), .formatBound(let format, .moreThan, .now): [format.value(of: 1_000_000_000)]
    case .itemCount(.atLeast, let count): count > 0 ? [.array([])] : []
    default: []
    }
  }

  private static func others(than types: TypeSet) -> [JSONValue] {
    let all: [JSONValue] = [
      .string("182340"), .number("42"), .number("24.5"), .boolean(true), .null, .array([]), .object([]),
    ]
    return all.filter { value in
      if case .number(let text) = value, types.contains(.integer), !types.contains(.number) { return text.contains(".") }
      return !types.contains(value.kind.type) && !(value.kind == .number && types.contains(.integer))
    }
  }

  private static func others(than values: [JSONValue]) -> [JSONValue] {
    var others: [JSONValue] = []
    for value in values.prefix(3) {
      switch value {
      case .string(let text): others += [.string(text + "?"), .string(text.uppercased()), .string(text.lowercased())]
      case .number(let text):
        if let number = Int64(text) { others += [1, 99].map { .number(String(number.addingSafely($0))) } }
      case .boolean(let flag): others.append(.boolean(!flag))
      default: break
      }
    }
    if values.contains(where: { $0.kind == .string }) { others.insert(.string("nothing known"), at: 0) }
    return others.filter { other in !values.contains { $0.equals(other) } }
  }

  /// Returns numbers just beyond a bound, and far beyond it.
  private static func numbers(beyond comparison: Comparison, _ bound: ExactDecimal) -> [String] {
    let isInteger = bound.isInteger
    guard bound.digitCount + max(0, bound.exponent) <= 15 else {
      return comparison == .atMost || comparison == .lessThan ? ["1e30"] : ["-1e30"]
    }
    let scale = isInteger ? 0 : 2
    let units = bound.units(scale: scale, roundingUp: comparison == .atLeast)
    let steps: [Int64] = comparison.isStrict ? [0, 7] : [1, 730]
    return steps.map { (comparison.isLower ? units - $0 : units + $0).decimalText(scale: scale) }
  }

  private static func texts(beyond comparison: Comparison, _ count: Int) -> [String] {
    let length = comparison == .atLeast ? count - 1 : count < .max ? count + 1 : 0
    return (0...4096).contains(length) ? [String(repeating: "a", count: length)] : []
  }

  private static let strangeTexts = [
    "", " ", "a/b", "..\\..", "ftp://example.com", "Äö ü", "UPPER case", "no?", "-", "1.2.3.4.5", "nothing",
  ]

  private static let unreadableDates = [
    "2026-02-30T08:00:00Z", "2025-06-31T12:30:00Z", "2026-13-01T00:00:00Z", "2026-05-04T25:00:00Z", "27.06.2026", "2026-06-27",
    "soon",
  ]

  private static func texts(withoutFormat format: StringFormat) -> [JSONValue] {
    let texts: [String] =
      switch format {
      case .dateTime, .dateTimeSeconds, .appleDateTime, .date, .time: unreadableDates
      case .decimal: ["12,50", "nan", "inf", "1.2.3", "24.0 €", "free"]
      case .uuid: ["3F1C0A52-7B0E-4C57-9A41", "not-a-uuid", "3F1C0A52-7B0E-4C57-9A41-6D2E8F10B7CX"]
      case .currency: ["EURO", "€", "eur"]
      case .colorHex: ["#12345", "blue", "#GGGGGG"]
      default: ["no such thing !", "", "[", "%%"]
      }
    if format.appliesToNumbers { return [.number("1e300")] }
    return texts.filter { !format.accepts($0) }.map(JSONValue.string)
  }
}

extension RuleProgram {
  /// Validates a generated sample in memory.
  ///
  /// - Parameter facts: The files of the document, or `nil` if it isn't part of an archive.
  func findings(
    inSample bytes: [UInt8], _ hints: GenerationHints, facts: [String: EntryFacts]?, most: Int = 1000
  ) throws(CofferError) -> [Finding] {
    // A time after the backup's creation time.
    var options = EvaluationOptions(now: Instant(seconds: hints.reference + 3 * 86_400), key: SipHash128.Key(low: 1, high: 2))
    options.gathersEntries = facts != nil
    options.maximumFindings = most
    var reader = JSONEventReader(MemorySource(bytes), limits: ReaderLimits())
    var evaluator = DocumentEvaluator(self, options: options)
    while try reader.next() { try evaluator.consume(reader.batch, lines: reader.lines) }
    try evaluator.finish()
    guard let facts else { return evaluator.collector.findings() }
    let claims = evaluator.entryClaims
    let names = claims.names
    let extra = facts.keys.filter { !names.contains($0) }.sorted().map { name in
      Finding(
        code: "file-extra", keyword: "archive", severity: .warning, message: "no record names this file",
        place: Place(entry: name), schemaLocation: "/backup/archive")
    }
    return evaluator.collector.findings() + claims.findings { facts[$0] }.findings() + extra
  }
}
