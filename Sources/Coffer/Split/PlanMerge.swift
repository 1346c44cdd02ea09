package import ByteStreams
package import Findings
import Foundation
import JSONEvents
import Rules

/// Joins the results of all tasks of a plan: the reports are those of one process that reads the documents whole.
///
///     partial files ─▶ parts in document order ─┐
///     plan ─▶ envelope ─▶ reader ─▶ evaluator ◀─┘ ─▶ report
///
/// Memory: that of a validation, and one part's content.
package struct PlanMerge {
  private let plan: SplitPlan
  private let digest: String
  private let validator: Validator
  private let baseline: (known: Baseline, limit: Int)?
  private let open: (String) throws(CofferError) -> StoredBytes

  /// - Parameters:
  ///   - digest: the plan's digest.
  ///   - validator: has the rules and options of the plan.
  ///   - baseline: the baseline of the plan, and the number of findings to keep.
  ///   - open: opens a file of the plan. The rest of a document is read if a task could not read it, and so are the ends of values.
  package init(
    _ plan: SplitPlan, digest: String, _ validator: Validator, baseline: (known: Baseline, limit: Int)? = nil,
    open: @escaping (String) throws(CofferError) -> StoredBytes
  ) {
    self.plan = plan
    self.digest = digest
    self.validator = validator
    self.baseline = baseline
    self.open = open
  }

  private var options: ValidationOptions { validator.options }

  /// Joins partial files in any order.
  ///
  /// - Parameter violations: the violations that `KeyBucket` found in each bucket, in any order, if the tasks have written rows; or none.
  /// - Returns: a report for each file of the plan.
  /// - Throws: `planMismatch` if one belongs to another plan, is missing or repeated; `invalidPlan` if one is damaged; errors of
  ///   reading; `CancellationError`.
  package func reports(
    _ partials: [(name: String, source: any ByteSource)], violations: [(name: String, source: any ByteSource)] = []
  ) throws -> [ValidationReport] {
    var parts = try PartQueue(partials, plan, digest: digest)
    try parts.checkHasAllTasks()
    try parts.check(haveKeys: violations.isEmpty)
    var known = violations.isEmpty ? nil : try KeyViolations(violations, of: plan, digest: digest)
    let reports = try plan.files.indices.map { number in
      let start = ContinuousClock.now
      var report = try report(on: number, &parts) { consumer in
        try known?.read(into: &consumer)
      } atGap: { _, _ in
      }
      try parts.skip(file: number)
      report.seconds = (ContinuousClock.now - start) / .seconds(1)
      return report
    }
    try parts.finish()
    try known?.finish()
    return reports
  }

  /// Writes the operations on keys that the tasks don't have: those in envelopes, and in what the tasks could not evaluate.
  ///
  /// - Throws: as ``reports(_:violations:)``.
  package func writeKeys(_ partials: [(name: String, source: any ByteSource)], to sink: inout some ByteSink) throws {
    var parts = try PartQueue(partials, plan, digest: digest)
    try parts.checkHasAllTasks()
    try parts.check(haveKeys: false)
    let file = KeyRowFileWriter(plan, digest: digest, task: plan.tasks.count, to: sink)
    for (number, planned) in plan.files.enumerated() {
      if !planned.gaps.isEmpty {
        var rows: KeyRowWriter?
        file.begin(file: number, at: 0)
        _ = try report(on: number, &parts) { consumer in
          let writer = file.rows(consumer.options.key)
          consumer.writeKeys(to: writer)
          rows = writer
        } atGap: { place, kind in
          try rows?.flush()
          file.begin(file: number, at: place.offset, kind)
          if kind == .rest { try file.writeMarks() }
        }
        try rows?.flush()
      }
      try parts.skip(file: number)
    }
    try parts.finish()
    sink = try file.finish()
  }

  /// Merges partial files of consecutive tasks into one that is smaller than all of them together.
  ///
  /// - Throws: as ``reports(_:)``, and if a task between two others is missing.
  package func join(_ partials: [(name: String, source: any ByteSource)], to sink: inout some ByteSink) throws {
    var parts = try PartQueue(partials, plan, digest: digest)
    var groups: [[SplitPlan.Part]] = []
    for part in parts.expected {
      if let last = groups.last?.last, part.gap != nil, last.file == part.file, last.gap == part.gap {
        groups[groups.count - 1].append(part)
      } else {
        groups.append([part])
      }
    }
    let head = PartialFile.Head(
      plan: digest, tasks: Array(parts.tasks), partCount: groups.count, hasKeys: try parts.checkHaveKeysOrNone())
    var writer = try ChunkedWriter(head, to: sink)
    for group in groups { try join(group, &parts, &writer) }
    try parts.finish()
    sink = try writer.finish()
  }

  /// Joins parts of one collection.
  private func join(
    _ group: [SplitPlan.Part], _ parts: inout PartQueue, _ writer: inout ChunkedWriter<some ByteSink>
  ) throws {
    guard var part = group.first, let (first, content) = try parts.next(of: part.file, in: part.gap) else { throw parts.damaged }
    guard part.gap != nil else {
      try writer.begin(part, reached: nil)
      return try writer.write(json: WholeReport(try content.report()))
    }
    var result = ValidatedDocument(report: plan.files[part.file].report)
    let consumer = try validator.pass(over: plan.files[part.file], &result).consumer
    var joined = try content.partial { source throws(CofferError) in try consumer.partial(decoding: &source) }
    part = first.part
    var reached = first.reached
    while part.end != group[group.count - 1].end, let (next, content) = try parts.next(of: part.file, in: part.gap) {
      // What follows a place that could not be evaluated has no effect.
      if reached == nil {
        let partial = try content.partial { source throws(CofferError) in try consumer.partial(decoding: &source) }
        if joined.takeNames(of: partial) {
          do throws(CofferError) { try joined.append(partial) } catch { throw content.naming(error) }
          reached = next.reached
        } else {
          reached = next.part.start
        }
      }
      part.end = next.part.end
    }
    try writer.begin(part, reached: reached)
    try writer.write(joined)
  }

  /// - Parameters:
  ///   - prepare: gets the consumer of a document that was cut, before anything is consumed.
  ///   - atGap: is called where the merging process goes on to evaluate a document itself: after a gap, or within one, from a place
  ///     that a task could not evaluate.
  private func report(
    on number: Int, _ parts: inout PartQueue, prepare: (inout DocumentEvaluator) throws -> Void,
    atGap: (SplitPlan.Mark, KeyRowFrame.Kind) throws -> Void
  ) throws -> ValidationReport {
    let file = plan.files[number]
    if file.gaps.isEmpty {
      guard let (_, content) = try parts.next(of: number) else {
        throw CofferError(.invalidPlan, "the plan has no part of \(file.name)")
      }
      var report = try content.report()
      var described = ValidatedDocument(report: report)
      _ = try validator.program(for: &described)
      report.checkedRules = described.report.checkedRules
      return concluded(options.addsPlaces || baseline != nil ? report : report.withoutPlaces)
    }
    var result = ValidatedDocument(report: file.report)
    var stored: StoredBytes?
    func bytes() throws(CofferError) -> StoredBytes {
      if let stored { return stored }
      let opened = try file.opened(open)
      stored = opened
      return opened
    }
    func rest(from place: SplitPlan.Mark, in gap: Int) throws -> EnvelopeSource.Continuation {
      try atGap(place, .rest)
      return file.rest(from: place, in: gap, try bytes(), options)
    }
    var pass = try validator.pass(over: file, &result, prepare: prepare)
    var gap = 0
    do {
      defer { result.describe(pass.consumer, bytesRead: pass.bytesRead, options: options) }
      try pass.run { consumer, object in
        defer { gap += 1 }
        try file.checkKind(object, at: gap)
        while let (part, content) = try parts.next(of: number, in: gap) {
          try options.execution.cancellation.check()
          let partial = try content.partial { source throws(CofferError) in try consumer.partial(decoding: &source) }
          if consumer.exceedsLimits(with: partial) || partial.memberNames.map({ object?.takeNames($0) == true }) == false {
            return try rest(from: part.part.start, in: gap)
          }
          do throws(CofferError) { try consumer.merge(partial) } catch { throw content.naming(error) }
          if let reached = part.reached { return try rest(from: reached, in: gap) }
        }
        guard file.pieces.indices.contains(gap + 1) else { return try rest(from: file.gaps[gap].end, in: gap) }
        try atGap(file.gaps[gap].end, .rows)
        return file.continuation(after: gap)
      }
    } catch let error as CofferError where !error.concernsRequest && ![.planMismatch, .invalidPlan].contains(error.code) {
      try validator.end(&result.report, with: error)
    }
    let explainsKeys = result.keySearch != nil
    let isNeeded = options.addsPlaces || baseline != nil
    // Without the document, messages about keys say less.
    func bytesIfThere() throws(CofferError) -> StoredBytes? {
      do throws(CofferError) { return try bytes() } catch {
        if error.code == .notFound { return nil }
        throw error
      }
    }
    if isNeeded || explainsKeys, !result.report.findings.isEmpty, let stored = try isNeeded ? bytes() : bytesIfThere() {
      let findings = result.report.findings
      try validator.addPlaces(to: &result.report, of: result, in: stored) { consumer, options in
        try file.matches(of: findings, by: consumer, in: stored, options, self.options)
      }
      if explainsKeys { try validator.explainKeys(of: &result.report, result, in: stored) }
    }
    try stored?.checkUnchanged()
    return concluded(result.report)
  }

  /// Compares a report with the baseline, and leaves out values.
  private func concluded(_ report: ValidationReport) -> ValidationReport {
    var report = report
    if let baseline { report.compare(with: baseline.known, keeping: baseline.limit) }
    return options.redacts ? report.withoutKeys : report
  }
}

/// The parts of partial files, in the order of the plan.
private struct PartQueue {
  /// The tasks that the files have.
  let tasks: Range<Int>
  /// The parts of these tasks that have not been removed.
  private(set) var expected: ArraySlice<SplitPlan.Part>
  private let taskCount: Int
  private var readers: ArraySlice<PartialFileReader>
  private var reader: PartialFileReader

  /// - Throws: `planMismatch` if one belongs to another plan, is repeated, or missing between others; `damagedPartial` for a
  ///   damaged one.
  init(
    _ partials: [(name: String, source: any ByteSource)], _ plan: SplitPlan, digest: String
  ) throws(CofferError) {
    var readers: [PartialFileReader] = []
    for partial in partials {
      let reader = try PartialFileReader(partial.source, named: partial.name)
      guard reader.head.plan == digest else { throw CofferError(.planMismatch, "\(reader.name) belongs to another plan") }
      guard let first = reader.head.tasks.first, let last = reader.head.tasks.last, plan.tasks.indices.contains(first),
        plan.tasks.indices.contains(last), first <= last, reader.head.tasks == Array(first...last)
      else { throw PartialFileReader.damaged(reader.name) }
      readers.append(reader)
    }
    readers.sort { $0.firstTask < $1.firstTask }
    guard let first = readers.first else { throw CofferError(.planMismatch, "no partial results were given") }
    var next = first.firstTask
    for (index, reader) in readers.enumerated() {
      if reader.firstTask < next {
        throw CofferError(
          .planMismatch,
          "\(readers[index - 1].name) and \(reader.name) both have the result of task \(reader.firstTask): pass only one of them")
      }
      if reader.firstTask > next { throw Self.missing(next..<reader.firstTask) }
      next += reader.head.tasks.count
    }
    tasks = first.firstTask..<next
    taskCount = plan.tasks.count
    expected = plan.tasks[tasks].flatMap(\.parts)[...]
    reader = first
    self.readers = readers.dropFirst()
  }

  func checkHasAllTasks() throws(CofferError) {
    if tasks.lowerBound > 0 { throw Self.missing(0..<tasks.lowerBound) }
    if tasks.upperBound < taskCount { throw Self.missing(tasks.upperBound..<taskCount) }
  }

  /// Throws if the operations on keys must be in the files, and aren't, or the other way round.
  func check(haveKeys: Bool) throws(CofferError) {
    for reader in [reader] + readers where reader.head.hasKeys != haveKeys {
      throw CofferError(
        .keyRows,
        haveKeys
          ? "\(reader.name) has no keys, because its task wrote them as rows" : "\(reader.name) contains its keys, and no rows")
    }
  }

  /// Returns whether the files have the operations on keys. Throws if only some have.
  func checkHaveKeysOrNone() throws(CofferError) -> Bool {
    try check(haveKeys: reader.head.hasKeys)
    return reader.head.hasKeys
  }

  private static func missing(_ tasks: Range<Int>) -> CofferError {
    let last = tasks.upperBound - 1
    return CofferError(
      .planMismatch,
      tasks.count == 1
        ? "the result of task \(last) is missing" : "the results of the tasks \(tasks.lowerBound) to \(last) are missing")
  }

  var damaged: CofferError { PartialFileReader.damaged(reader.name) }

  /// Removes and returns the next part, or several that were joined, if it is of this collection, or of this whole file. Its content
  /// must be read before the next call.
  ///
  /// - Throws: `damagedPartial` if the files have other parts than the plan.
  mutating func next(
    of file: Int, in gap: Int? = nil
  ) throws(CofferError) -> (part: PartialFile.Part, content: PartialFileReader)? {
    guard let wanted = expected.first, wanted.file == file, wanted.gap == gap else { return nil }
    var found = try reader.next()
    while found == nil, let next = readers.popFirst() {
      reader = next
      found = try reader.next()
    }
    guard let part = found, part.part.file == file, part.part.gap == gap, part.part.start == wanted.start else { throw damaged }
    // An empty file is a part without bytes.
    var end = wanted.start
    repeat {
      guard let covered = expected.popFirst(), covered.file == file, covered.gap == gap else { throw damaged }
      end = covered.end
    } while end != part.part.end
    if let reached = part.reached {
      guard reached.offset >= wanted.start.offset, reached.offset < end.offset, reached.index >= wanted.start.index else {
        throw damaged
      }
    }
    return (part, reader)
  }

  /// Leaves out the other parts of a file.
  mutating func skip(file: Int) throws(CofferError) {
    while let wanted = expected.first, wanted.file == file { _ = try next(of: file, in: wanted.gap) }
  }

  /// Reads all files to their ends, where their checksums are.
  mutating func finish() throws(CofferError) {
    for reader in [reader] + readers {
      while try reader.next() != nil {}
    }
  }
}

extension PartialFileReader {
  fileprivate var firstTask: Int { head.tasks.first ?? 0 }
}
