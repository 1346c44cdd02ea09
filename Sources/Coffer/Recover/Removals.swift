import ByteStreams
import Findings
import JSONEvents
import Rules
import SystemPackage

/// What to leave out of a well-formed document: the records that hold these places.
///
/// The document is read several times, each time with more places: leaving out one record makes references to it dangle. Places are
/// taken in their order, and kept for the next time.
///
/// Memory: the places take an eighth of the memory limit twice, and the rest spills to disk; the details of 10,000 findings.
final class Removals {
  /// The place of an error.
  struct Place: BitwiseCopyable, Comparable {
    let offset: Int
    /// The number of times that the document was read before.
    let round: Int32
    /// The index of its rule and kind.
    let cause: Int32

    static func < (a: Place, b: Place) -> Bool { (a.offset, a.round, a.cause) < (b.offset, b.round, b.cause) }
  }

  struct Cause: Hashable {
    let kind: LocatedErrors.Kind
    let code: String
    let hasOneField: Bool
  }

  private let execution: Execution
  private var places: SpillSorter<Place>
  private var next: Place?
  /// The places for the next time.
  private var kept: SpillSorter<Place>
  private var causes: [Cause] = []
  private var indices: [Cause: Int32] = [:]
  /// A number that declares a total: the right one, and what the rules say about it.
  struct Total {
    let right: String
    let finding: Finding?
  }

  /// By their places.
  private var totals: [Int: Total] = [:]
  private var details: [Int: [Finding]] = [:]
  private var detailCount = 0
  /// The number of times that the document was read.
  private(set) var round: Int32 = 0
  /// The number of records that are left out, or changed, since the places of the last time were added.
  private(set) var newCount = 0
  /// True if references that dangle become null, if they are one value.
  let nullsReferences: Bool

  /// The most findings that are kept in detail.
  private static let detailLimit = 10_000

  init(nullsReferences: Bool, _ execution: Execution) {
    self.nullsReferences = nullsReferences
    self.execution = execution
    places = Self.sorter(execution)
    kept = Self.sorter(execution)
  }

  private static func sorter(_ execution: Execution) -> SpillSorter<Place> {
    SpillSorter(memory: execution.memoryLimit / 8, folder: execution.temporaryFolder)
  }

  // MARK: Adding

  /// Adds the places of errors for the next time.
  ///
  /// - Parameters:
  ///   - errors: their places in the document that was written last time.
  ///   - findings: the details of some of them.
  ///   - moves: from what was written to what was read.
  func add(_ errors: [LocatedErrors], _ findings: [Finding], moves: inout MoveLog) throws(CofferError) {
    var byOffset = Dictionary(
      grouping: findings.lazy.filter { $0.severity == .error && $0.place.entry == nil }, by: \.place.offset)
    let all = errors.flatMap { errors in
      let cause = index(of: Cause(kind: errors.kind, code: errors.rule.code, hasOneField: errors.hasOneField))
      return errors.offsets.map { Place(offset: $0, round: round, cause: cause) }
    }
    for place in all.sorted() {
      let offset = try moves.origin(of: place.offset)
      try kept.append(Place(offset: offset, round: round, cause: place.cause))
      guard detailCount < Self.detailLimit, let findings = byOffset.removeValue(forKey: place.offset) else { continue }
      details[offset, default: []] += findings.map { finding in
        var finding = finding
        finding.place.position.offset = offset
        return finding
      }
      detailCount += findings.count
    }
  }

  /// Adds numbers that declare totals.
  ///
  /// - Parameters:
  ///   - totals: the right ones, by the offsets of the numbers in the document that was written last time.
  ///   - findings: those about them, and others.
  func correct(_ totals: [Int: String], _ findings: [Finding], moves: inout MoveLog) throws(CofferError) {
    for (offset, right) in totals.sorted(by: { $0.key < $1.key }) {
      let finding = findings.first { $0.place.offset == offset && $0.place.entry == nil && $0.severity == .error }
      self.totals[try moves.origin(of: offset)] = Total(right: right, finding: finding)
    }
  }

  /// Returns the numbers to correct in a range.
  func corrections(in range: Range<Int>) -> [(place: Int, total: Total)] {
    totals.filter { range.contains($0.key) }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private func index(of cause: Cause) -> Int32 {
    if let known = indices[cause] { return known }
    causes.append(cause)
    indices[cause] = Int32(causes.count - 1)
    return Int32(causes.count - 1)
  }

  /// Begins to read the document again.
  func restart() throws(CofferError) {
    while let place = next { next = try passed(place) }
    round += 1
    newCount = 0
    try kept.finish()
    places = kept
    kept = Self.sorter(execution)
    next = try places.next()
  }

  // MARK: Taking

  private func passed(_ place: Place) throws(CofferError) -> Place? {
    try kept.append(place)
    return try places.next()
  }

  /// Returns true if a place is in the range, which is not before that of the last call. Drops those before it.
  func isAny(in range: Range<Int>) throws(CofferError) -> Bool {
    while let place = next, place.offset < range.lowerBound { next = try passed(place) }
    return next.map { $0.offset < range.upperBound } ?? false
  }

  /// Returns what is wrong in a range, or `nil` if nothing is.
  func take(in range: Range<Int>) throws(CofferError) -> Removal? {
    guard try isAny(in: range) else { return nil }
    var removal = Removal(kind: .order)
    var isNew = false
    while let place = next, place.offset < range.upperBound {
      let cause = causes[Int(place.cause)]
      if cause.kind.rawValue < removal.kind.rawValue { removal.kind = cause.kind }
      if cause.kind == .dangling {
        // A reference that dangles again after it became null can only be left out.
        if let last = removal.last, last.offset == place.offset, last.round < place.round { removal.isWhole = true }
        if !cause.hasOneField { removal.isWhole = true }
        if removal.references.last != place.offset { removal.references.append(place.offset) }
        removal.last = place
      }
      if !removal.codes.contains(cause.code), removal.codes.count < 8 { removal.codes.append(cause.code) }
      isNew = isNew || place.round == round - 1
      if let findings = details[place.offset], place.offset != removal.detailed {
        removal.findings += findings
        removal.detailed = place.offset
      }
      next = try passed(place)
    }
    if isNew { newCount += 1 }
    return removal
  }
}

/// What is wrong with a record.
struct Removal {
  fileprivate(set) var kind: LocatedErrors.Kind
  /// The codes of the rules, and the findings that are known in detail.
  fileprivate(set) var codes: [String] = []
  fileprivate(set) var findings: [Finding] = []
  /// The offsets of references that dangle.
  fileprivate(set) var references: [Int] = []
  /// True if it can't be repaired by setting these to null.
  fileprivate(set) var isWhole = false
  fileprivate var detailed = -1
  /// The last reference.
  fileprivate var last: Removals.Place?

  /// Returns the removal with the findings at one place alone.
  func at(_ offset: Int) -> Removal {
    var removal = self
    removal.findings.removeAll { $0.place.offset != offset }
    if let finding = removal.findings.first { removal.codes = [finding.code] }
    return removal
  }

  var reason: LeftOut.Reason {
    switch kind {
    case .value, .order: .invalid
    case .duplicate: .duplicate
    case .dangling: .dangling
    }
  }
}
