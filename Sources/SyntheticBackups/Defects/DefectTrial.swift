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
