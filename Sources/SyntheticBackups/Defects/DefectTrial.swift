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
  private let plan: Plan
  private let program: RuleProgram
  private let hints: GenerationHints
  /// The number of records in which each candidate is tried.
  private static let repeats = 3
  /// The maximum number of branches per record, and of choices per defect, that are tried.
  private static let branchLimit = 12
  private static let choiceLimit = 6

  init(_ plan: Plan, _ program: RuleProgram, _ hints: GenerationHints) {
    self.plan = plan
    self.program = program
    self.hints = hints
  }

  func proven(_ candidates: [DefectVariant]) -> [DefectVariant] {
    var attempts: [DefectVariant] = []
    for candidate in candidates {
      for branch in 0..<branchCount(of: candidate.site) {
        for choice in 0..<min(Self.choiceLimit, candidate.change.choiceCount) {
          for pointer in candidate.pointers {
            var variant = candidate
            variant.pointers = [pointer]
            variant.options = [DefectVariant.Option(branch: branch, choice: choice)]
            attempts.append(variant)
          }
        }
      }
    }
    var passed: [DefectVariant] = []
    var inCollections: [Int: [DefectVariant]] = [:]
    for attempt in attempts {
      switch attempt.site {
      // A value of the envelope carries one defect at a time.
      case .envelope, .archive: passed += passing([attempt])
      // Each collection in its own document: a defect in a key can look like a matching defect in a reference.
      case .collection(let number): inCollections[number, default: []].append(attempt)
      }
    }
    for number in plan.collections.indices { passed += passing(inCollections[number] ?? []) }
    return Self.joined(passed)
  }

  private func branchCount(of site: DefectVariant.Site) -> Int {
    guard case .collection(let number) = site else { return 1 }
    return min(Self.branchLimit, plan.objects[Int(plan.collections[number].object)].branches.count)
  }

  /// Returns one variant per candidate, with all options that passed.
  private static func joined(_ attempts: [DefectVariant]) -> [DefectVariant] {
    var variants: [Int: DefectVariant] = [:]
    for attempt in attempts {
      if variants[attempt.order]?.pointers == attempt.pointers {
        variants[attempt.order]?.options += attempt.options
      } else if variants[attempt.order] == nil {
        variants[attempt.order] = attempt
      }
    }
    return variants.values.sorted { $0.order < $1.order }
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
    guard !attempts.isEmpty else { return [] }
    let isEnvelope = if case .envelope = attempts[0].site { true } else { false }
    let repeats = isEnvelope ? 1 : Self.repeats
    let allocation = DefectAllocation(variants: attempts, tallies: attempts.map { _ in repeats })
    let counts = plan.collections.enumerated().map { number, collection in
      let defects = allocation.defects(at: .collection(number))
      return min(collection.most, max(collection.least, 6, defects > 0 ? 2 * defects + collection.heads.count + 4 : 0))
    }
    var capped = counts
    for (index, collection) in plan.collections.enumerated() {
      // Collections with one-to-one references need equal counts, or the tried records would have no references.
      for other in collection.noMoreThan {
        let count = min(collection.most, max(capped[index], capped[Int(other)]))
        (capped[index], capped[Int(other)]) = (count, max(count, capped[Int(other)]))
      }
    }
    for (number, collection) in plan.collections.enumerated() {
      let room = SlotSpacing.capacity(records: capped[number], firstValid: collection.heads.count)
      if allocation.defects(at: .collection(number)) > room {
        return attempts.count == 1 ? [] : halves(attempts)
      }
    }
    let population = Population(
      seed: 0x7214A, counts: capped, defects: capped.indices.map { allocation.defects(at: .collection($0)) }, plan: plan)
    var document = DocumentWriter(
      plan: plan, population: population, layout: TreeLayout(indent: nil, escapesSlashes: plan.escapesSlashes),
      allocation: allocation)
    var sink = MemorySink()
    var expected: [String: (attempt: Int, line: String)] = [:]
    var planted = Array(repeating: 0, count: attempts.count)
    do {
      try document.write(to: &sink) { number, record, entry throws(CofferError) in
        planted[number] += 1
        expected[record] = (number, "\(entry.code) \(entry.pointer)")
      }
      let findings = try SampleValidation(program, hints).findings(
        in: sink.bytes, facts: plan.files.isEmpty ? nil : document.facts(), most: 8 * expected.count + 64)
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
      if hasStrays { return attempts.count == 1 ? [] : halves(zip(attempts, isBad).filter { !$1 }.map(\.0)) }
      return zip(attempts, isBad).filter { !$1 }.map(\.0)
    } catch {
      return attempts.count == 1 ? [] : halves(attempts)
    }
  }

  private func halves(_ attempts: [DefectVariant]) -> [DefectVariant] {
    if attempts.count < 2 { return passing(attempts) }
    let middle = attempts.count / 2
    return passing(Array(attempts[..<middle])) + passing(Array(attempts[middle...]))
  }

  /// Returns the record with a defect that contains a finding.
  private static func record(of pointer: String, in expected: [String: (attempt: Int, line: String)]) -> String? {
    var prefix = Substring(pointer)
    while true {
      if expected[String(prefix)] != nil { return String(prefix) }
      guard let slash = prefix.lastIndex(of: "/") else { return nil }
      prefix = prefix[..<slash]
    }
  }
}

/// Values that violate a rule about single values.
enum Violations {
  static func of(_ assertion: Schema.Assertion) -> [JSONTree] {
    switch assertion {
    case .types(let types): ofTypes(types)
    case .values(let values): ofValues(values.map(JSONTree.init))
    case .bound(let comparison, .number(let bound)): numbers(beyond: comparison, bound).map(JSONTree.number)
    case .multipleOf(let divisor):
      ["1", "0.5", "7", "0.001"].filter { ExactDecimal($0)?.isMultiple(of: divisor) == false }.map(JSONTree.number)
    case .length(let comparison, let count): ofLength(comparison, count)
    case .pattern(let pattern): strangeTexts.filter { !matches(pattern, $0) }.map(JSONTree.string)
    case .format(let format): ofFormat(format)
    case .formatBound(_, let comparison, .decimal(let bound)): numbers(beyond: comparison, bound).map(JSONTree.string)
    case .formatBound(let format, let comparison, .instant(let instant)):
      [1, 400].map {
        RecordWriter.time(instant.seconds + (comparison == .atLeast || comparison == .moreThan ? -$0 : $0) * 86_400, format)
      }
    case .formatBound(let format, .atLeast, .now), .formatBound(let format, .moreThan, .now):
      [RecordWriter.time(1_000_000_000, format)]
    case .itemCount(.atLeast, let count): count > 0 ? [.array([])] : []
    default: []
    }
  }

  private static func ofTypes(_ types: TypeSet) -> [JSONTree] {
    let all: [JSONTree] = [
      .string("182340"), .number("42"), .number("24.5"), .boolean(true), .null, .array([]), .object([]),
    ]
    return all.filter { value in
      if case .number(let text) = value, types.contains(.integer), !types.contains(.number) { return text.contains(".") }
      return !types.contains(value.type) && !(value.type == .number && types.contains(.integer))
    }
  }

  private static func ofValues(_ values: [JSONTree]) -> [JSONTree] {
    var others: [JSONTree] = []
    for value in values.prefix(3) {
      switch value {
      case .string(let text): others += [.string(text + "?"), .string(text.uppercased()), .string(text.lowercased())]
      case .number(let text):
        if let number = Int64(text) { others += [.number(String(number + 1)), .number(String(number + 99))] }
      case .boolean(let flag): others.append(.boolean(!flag))
      default: break
      }
    }
    if values.contains(where: { $0.type == .string }) { others.insert(.string("nothing known"), at: 0) }
    return others.filter { other in !values.contains { $0.equals(other) } }
  }

  /// Returns numbers just beyond a bound, and far beyond it.
  private static func numbers(beyond comparison: Comparison, _ bound: ExactDecimal) -> [String] {
    let isInteger = bound.isInteger
    guard bound.digitCount + max(0, bound.exponent) <= 15 else {
      return comparison == .atMost || comparison == .lessThan ? ["1e30"] : ["-1e30"]
    }
    let scale = isInteger ? 0 : 2
    let units = bound.units(scale: scale, roundingUp: comparison == .atLeast, isExclusive: false)
    func text(_ units: Int64) -> String {
      var buffer = ByteBuffer(capacity: 64)
      buffer.append(units, scale: scale)
      return String(decoding: buffer.bytes(from: 0), as: UTF8.self)
    }
    switch comparison {
    case .atLeast: return [text(units - 1), text(units - 730)]
    case .moreThan: return [text(units), text(units - 7)]
    case .atMost: return [text(units + 1), text(units + 730)]
    case .lessThan: return [text(units), text(units + 7)]
    }
  }

  private static func ofLength(_ comparison: Comparison, _ count: Int) -> [JSONTree] {
    let length = comparison == .atLeast ? count - 1 : count + 1
    guard length >= 0, length <= 4096 else { return [] }
    return [.string(String(repeating: "a", count: length))]
  }

  private static let strangeTexts = [
    "", " ", "a/b", "..\\..", "ftp://example.com", "Äö ü", "UPPER case", "no?", "-", "1.2.3.4.5", "nothing",
  ]

  private static func matches(_ pattern: Pattern, _ text: String) -> Bool {
    ByteView.with(text) { Pattern.Matcher().match(pattern, in: $0) } == .match
  }

  private static let unreadableDates = [
    "2026-02-30T08:00:00Z", "2025-06-31T12:30:00Z", "2026-13-01T00:00:00Z", "2026-05-04T25:00:00Z", "27.06.2026", "2026-06-27",
    "soon",
  ]

  private static func ofFormat(_ format: StringFormat) -> [JSONTree] {
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
    return texts.filter { text in !ByteView.with(text) { format.accepts($0) } }.map(JSONTree.string)
  }
}

/// Validates a generated sample in memory.
struct SampleValidation {
  private let program: RuleProgram
  private let options: RuleEvaluator.Options

  init(_ program: RuleProgram, _ hints: GenerationHints) {
    self.program = program
    // A time after the backup's creation time.
    options = RuleEvaluator.Options(now: Instant(seconds: hints.reference + 3 * 86_400), key: SipHash128.Key(low: 1, high: 2))
  }

  /// - Parameter facts: The files of the document, or `nil` if it isn't part of an archive.
  func findings(in bytes: [UInt8], facts: [String: EntryFacts]? = nil, most: Int = 1000) throws(CofferError) -> [Finding] {
    var options = options
    options.gathersEntries = facts != nil
    options.maximumFindings = most
    var reader = JSONEventReader(MemorySource(bytes), limits: ReaderLimits())
    var evaluator = DocumentEvaluator(program, options: options)
    while try reader.next() { try evaluator.consume(reader.batch, lines: reader.lines) }
    try evaluator.finish()
    guard let facts else { return evaluator.collector.findings() }
    let claims = evaluator.entryClaims
    let names = claims.names
    var findings = evaluator.collector.findings() + claims.findings { facts[$0] }.findings()
    for name in facts.keys.sorted() where !names.contains(name) {
      findings.append(
        Finding(
          code: "file-extra", keyword: "archive", severity: .warning, message: "no record names this file",
          place: Place(entry: name), schemaLocation: "/backup/archive"))
    }
    return findings
  }
}
