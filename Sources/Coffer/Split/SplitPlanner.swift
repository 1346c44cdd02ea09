import BackupFormats
package import ByteStreams
import Findings
import Foundation
import JSONEvents
import Pipelines
import Rules

/// Finds the parts of a document that can be evaluated separately.
///
///     document ─▶ ranges ─▶ summaries, on all threads ─▶ large collections ─▶ envelope, evaluated up to each of them ─▶ gaps
///
/// The first pass finds the arrays and objects that can be cut. The second one reads only the envelope: a collection is left out if the
/// rules allow that its records are evaluated separately.
///
/// Cost: the scan of `RangeScanner`. Memory: the envelope, and about 200 bytes for each of at most 65 536 ranges.
package struct SplitPlanner {
  private let validator: Validator
  private let rangeSize: Int?
  /// The largest envelope. A document with a larger one is a single part.
  private static let envelopeLimit = 16 << 20

  /// - Parameters:
  ///   - validator: has the rules and options of the plan.
  ///   - rangeSize: the granularity of cuts in bytes: collections within one range are part of the envelope. `nil`: 1 MiB, or more for a
  ///     large document.
  package init(_ validator: Validator, rangeSize: Int? = nil) {
    self.validator = validator
    self.rangeSize = rangeSize
  }

  private var options: ValidationOptions { validator.options }

  /// Scans files, and divides them into tasks.
  ///
  /// - Parameters:
  ///   - names: the files' names in reports.
  ///   - count: the number of tasks.
  ///   - keyBuckets: the number of buckets for operations on keys, if these are written as rows.
  ///   - tool: the version of Coffer.
  ///   - format: the name of the format, if the validator has one that was named.
  ///   - rules: the validator's rules, if they are the user's own.
  ///   - each: a JSON Pointer to the collection whose records the rules apply to separately.
  ///   - scans: the scans of files that other processes have scanned. Of these files, only the envelope is read.
  ///   - open: opens a file by name.
  /// - Throws: `CofferError` if a file can't be read; `planMismatch` if scans are missing, or are not of these files; the errors of
  ///   the rules; `CancellationError`.
  package func plan(
    _ names: [String], into count: Int, keyBuckets: Int = 64, tool: String, format: String?, rules: SplitPlan.OwnRules?,
    each: String? = nil, scans: RangeScans = RangeScans(), open: (String) throws(CofferError) -> StoredBytes
  ) throws -> SplitPlan {
    var scans = scans
    var files: [SplitPlan.File] = []
    var parts: [SplitPlan.Part] = []
    for name in names {
      let bytes = try open(name)
      let ranges = try scans.remove(of: name, isOnlyFile: names.count == 1, byteCount: bytes.byteCount)
      let planned = try plan(bytes, named: name, number: files.count, scans: ranges)
      files.append(planned.file)
      parts += planned.parts
    }
    try scans.checkIsEmpty()
    let key = SipHash128.Key.random()
    return SplitPlan(
      tool: tool, now: options.now.description, key: [key.low, key.high],
      options: SplitPlan.Options(
        maxFindings: options.maximumFindings, duplicateKeys: options.duplicateKeys, redact: options.redacts,
        only: options.only?.names, each: each, memoryLimit: options.execution.memoryLimit,
        maxSize: options.execution.expansion.size, maxRatio: options.execution.expansion.ratio,
        maxDepth: options.limits.depth, maxString: options.limits.tokenSize, maxLine: options.limits.lineSize,
        keyBuckets: keyBuckets),
      format: format, rules: rules, files: files, tasks: SplitPlan.tasks(count, of: parts))
  }

  /// Scans a document.
  ///
  /// - Parameters:
  ///   - name: its name in reports.
  ///   - number: its number in the plan.
  ///   - scans: the scans of all its ranges, or `nil` to scan it here.
  /// - Returns: the document, and its parts: as many as can be cut.
  /// - Throws: `CofferError` if it can't be read; the errors of the rules; `CancellationError`.
  package func plan(
    _ bytes: StoredBytes, named name: String, number: Int, scans: [RangeScan]? = nil
  ) throws -> (file: SplitPlan.File, parts: [SplitPlan.Part]) {
    let syntax = options.syntax ?? JSONSyntax(ofFileNamed: name)
    var draft = FileDraft(
      file: SplitPlan.File(name: name, syntax: syntax, bytes: bytes.byteCount, report: ValidationReport(file: name)),
      number: number)
    let rangeSize = rangeSize ?? max(1 << 20, bytes.byteCount >> 16)
    let isPlain = try syntax != .sequence && (scans != nil || bytes.byteCount > rangeSize) && isPlainDocument(bytes)
    if scans != nil, !isPlain {
      throw CofferError(
        .planMismatch, "\(name) is compressed, an archive or a sequence, and can't be scanned in ranges: leave out its scans")
    }
    if isPlain, bytes.byteCount > rangeSize {
      do {
        let (program, result) = try validator.identify(StoredSource(bytes), named: name, syntax)
        draft.file.report = result.report
        draft.file.report.checkedRules = []
        let consumer = DocumentEvaluator(program, options: options.evaluation(of: result.format, in: .json))
        switch syntax {
        case .json:
          let summaries = try scans.map { scans throws(CofferError) in
            guard let summaries = RangeScan.summaries(of: scans) else { throw draft.mismatch("of JSON Lines") }
            return summaries
          }
          try cut(&draft, try collections(in: bytes, rangeSize, summaries), bytes, consumer)
        case .jsonLines, .sequence:
          let summaries = try scans.map { scans throws(CofferError) in
            guard let summaries = RangeScan.lineSummaries(of: scans) else {
              throw draft.mismatch("of JSON, and not of JSON Lines")
            }
            return summaries
          }
          try cutLines(&draft, bytes, rangeSize, summaries, consumer)
        }
      } catch let error as CofferError
        where !error.concernsRequest && ![.cancelled, .invalidScan, .scanSyntax].contains(error.code)
      {
        // The document has a fault: its only task, which reads it from its start, describes it.
        draft.keepWhole()
      }
      try bytes.checkUnchanged()
    }
    return (draft.file, draft.parts)
  }

  /// Returns false for archives and compressed documents, which are read from their start, and for files of other kinds, which the
  /// report describes.
  private func isPlainDocument(_ bytes: StoredBytes) throws(CofferError) -> Bool {
    do throws(CofferError) {
      let backup = try OpenedBackup(StoredSource(bytes), named: bytes.name, options.execution.unmetered)
      var text = StoredSource(bytes)
      let prefix = try text.readPrefix(JSONSyntax.prefixSize)
      return !backup.isArchive && backup.compression == nil && !JSONSyntax.isSequence(prefix)
    } catch {
      if error.concernsRequest || [.cancelled, .inputOutput].contains(error.code) { throw error }
      return false
    }
  }

  // MARK: JSON

  /// - Parameter summaries: those of ranges that other processes have scanned.
  private func collections(in bytes: StoredBytes, _ rangeSize: Int, _ summaries: [RangeSummary]?) throws -> [CollectionSurvey
    .Found]
  {
    var survey = CollectionSurvey()
    var scan = DocumentScan()
    func consume(_ summary: RangeSummary) -> OrderedPipeline.Demand {
      survey.consume(scan.append(summary))
      return survey.isSuspect ? .stop : .more
    }
    if let summaries {
      for summary in summaries where consume(summary) == .stop { break }
    } else {
      try self.scan(bytes, by: { range in range.bytes.withUnsafeBytes { RangeSummary(of: $0, from: range.start) } }, consume) {
        number throws(CofferError) in
        try bytes.rangeBoundary(atOrAfter: min(number * rangeSize, bytes.byteCount))
      }
    }
    let collections = survey.collections
    var previous: SplitPlan.Mark?
    for collection in collections {
      guard collection.isValid(after: previous, byteCount: bytes.byteCount) else {
        throw CofferError(.invalidScan, "the scans don't match \(bytes.name): they contradict each other")
      }
      previous = collection.start
    }
    return collections
  }

  /// Scans all ranges of a file, on all threads.
  ///
  /// - Parameters:
  ///   - consume: receives the summaries in order.
  ///   - boundary: returns the start of a range by its number.
  private func scan<Summary: Sendable>(
    _ bytes: StoredBytes, by summary: @escaping @Sendable ((start: Int, bytes: [UInt8])) -> Summary,
    _ consume: (Summary) -> OrderedPipeline.Demand, boundary: (Int) throws(CofferError) -> Int
  ) throws {
    var number = 0
    var start = 0
    _ = try OrderedPipeline(jobs: options.execution.jobs).run(
      next: { () throws -> (start: Int, bytes: [UInt8])? in
        if start == bytes.byteCount { return nil }
        try options.execution.cancellation.check()
        number += 1
        let end = try boundary(number)
        var source = StoredSource(bytes, start..<end)
        defer { start = end }
        return (start, try source.readPrefix(end - start))
      },
      makeWorker: { summary },
      merge: { _, summary in consume(summary) })
  }

  /// Leaves collections out of the envelope, as many as the rules allow.
  private func cut(
    _ draft: inout FileDraft, _ collections: [CollectionSurvey.Found], _ bytes: StoredBytes,
    _ consumer: consuming DocumentEvaluator
  ) throws {
    var passOptions = options.pass
    passOptions.execution.progress = nil
    passOptions.keys = consumer.options.keyComparison
    var collections = collections[...]
    // The envelope so far, and the start of its next piece.
    var envelopeSize = 0
    var start = SplitPlan.Mark(TextPosition(offset: 0, line: 1, column: 1), index: 0)
    func piece(from offset: Int) -> EnvelopeSource.Piece {
      let byteCount = collections.first.map { $0.start.offset - offset }
      return EnvelopeSource.Piece(StoredSource(bytes, offset..<bytes.byteCount), byteCount: byteCount)
    }
    func isTooLarge() -> Bool {
      envelopeSize + (collections.first?.start.offset ?? bytes.byteCount) - start.offset > Self.envelopeLimit
    }
    func readPiece(to end: Int) throws(CofferError) -> SplitPlan.Piece {
      var source = StoredSource(bytes, start.offset..<end)
      envelopeSize += end - start.offset
      return SplitPlan.Piece(start: start, bytes: Data(try source.readPrefix(end - start.offset)))
    }
    if isTooLarge() { return draft.keepWhole() }
    var pass = DocumentPass(EnvelopeSource(piece(from: 0)), for: consumer, options: passOptions)
    do {
      try pass.run { consumer, _ in
        guard let collection = collections.popFirst() else { throw draft.file.changed }
        guard let end = collection.end ?? collection.cuts.last, consumer.workers(depth: collection.depth, recordsBefore: 0) != nil
        else {
          if isTooLarge() { return .end }
          return .envelope(piece(from: collection.start.offset), from: collection.start.position, skipped: nil)
        }
        draft.append(
          SplitPlan.Gap(
            pointer: consumer.containerPointer(), depth: collection.depth, isObject: collection.isObject, start: collection.start,
            end: end,
            isClosed: collection.end != nil),
          after: try readPiece(to: collection.start.offset), cuts: collection.cuts)
        while let next = collections.first, next.start.offset < end.offset { collections.removeFirst() }
        start = end
        if collection.end == nil || isTooLarge() { return .end }
        return .envelope(piece(from: end.offset), from: end.position, skipped: .all)
      }
      if isTooLarge() { return draft.keepWhole() }
      if draft.file.gaps.last?.isClosed == true { draft.file.pieces.append(try readPiece(to: bytes.byteCount)) }
    } catch let error as CofferError where error.place.position != nil {
      // The rest is malformed. The merging process reads it, and describes the error.
    }
  }

  // MARK: JSON Lines

  /// - Parameter summaries: those of ranges that other processes have scanned.
  private func cutLines(
    _ draft: inout FileDraft, _ bytes: StoredBytes, _ rangeSize: Int, _ summaries: [LineSummary]?,
    _ consumer: consuming DocumentEvaluator
  ) throws {
    var pass = options.pass
    pass.execution.progress = nil
    let piece = EnvelopeSource.Piece(MemorySource("[".utf8), byteCount: 1)
    var documentPass = DocumentPass(EnvelopeSource(piece), for: consumer, options: pass)
    var canBeCut = false
    try documentPass.run { consumer, _ in
      canBeCut = consumer.workers(depth: 1, recordsBefore: 0) != nil
      return .end
    }
    guard canBeCut else { return }
    var cuts: [SplitPlan.Mark] = []
    var whole = LineSummary()
    func consume(_ summary: LineSummary) -> OrderedPipeline.Demand {
      if whole.extent.byteCount > 0, let line = summary.upToFirstBreak {
        var before = whole
        before.append(line)
        cuts.append(SplitPlan.Mark(before.extent.position, index: before.totalRecordCount))
      }
      whole.append(summary)
      return .more
    }
    if let summaries {
      for summary in summaries { _ = consume(summary) }
    } else {
      try scan(bytes, by: { range in range.bytes.withUnsafeBytes { LineSummary(of: $0, isStart: range.start == 0) } }, consume) {
        number throws(CofferError) in
        // A byte order mark isn't cut.
        min(max(3, number * rangeSize), bytes.byteCount)
      }
    }
    let end = SplitPlan.Mark(whole.extent.position, index: whole.totalRecordCount)
    guard end.index > 0 else { return }
    var source = StoredSource(bytes)
    let hasMark = try source.readPrefix(3) == [0xEF, 0xBB, 0xBF]
    let start = SplitPlan.Mark(TextPosition(offset: hasMark ? 3 : 0, line: 1, column: 1), index: 0)
    let marks = [start] + cuts + [end]
    guard zip(marks, marks.dropFirst()).allSatisfy({ $0.offset <= $1.offset && $0.index <= $1.index }), end.isValid else {
      throw CofferError(.invalidScan, "the scans don't match \(bytes.name): they contradict each other")
    }
    draft.append(
      SplitPlan.Gap(pointer: "", depth: 1, isObject: false, start: start, end: end, isClosed: true),
      after: SplitPlan.Piece(start: start, bytes: Data("[".utf8)), cuts: cuts)
    draft.file.pieces.append(SplitPlan.Piece(start: end, bytes: Data("]".utf8)))
  }
}

/// A document of a plan, while its gaps are found.
private struct FileDraft {
  var file: SplitPlan.File
  private(set) var parts: [SplitPlan.Part] = []
  private let number: Int

  init(file: SplitPlan.File, number: Int) {
    self.file = file
    self.number = number
    keepWhole()
  }

  /// The error if scans are of another syntax.
  func mismatch(_ scanned: String) -> CofferError {
    CofferError(.scanSyntax, "the scans of \(file.name) are \(scanned)")
  }

  mutating func append(_ gap: SplitPlan.Gap, after piece: SplitPlan.Piece, cuts: [SplitPlan.Mark]) {
    if file.gaps.isEmpty { parts = [] }
    var start = gap.start
    for end in cuts + [gap.end] where end.offset > start.offset {
      parts.append(SplitPlan.Part(file: number, gap: file.gaps.count, start: start, end: end))
      start = end
    }
    file.gaps.append(gap)
    file.pieces.append(piece)
  }

  /// Makes the document a single part, which is read from its start.
  mutating func keepWhole() {
    file.gaps = []
    file.pieces = []
    let start = SplitPlan.Mark(TextPosition(offset: 0, line: 1, column: 1), index: 0)
    let end = SplitPlan.Mark(TextPosition(offset: file.bytes, line: 1, column: 1), index: 0)
    parts = [SplitPlan.Part(file: number, gap: nil, start: start, end: end)]
  }
}

/// The large arrays and objects of a document: those that are open where one range ends and the next one begins.
struct CollectionSurvey {
  struct Found {
    /// The number of open brackets around a record.
    let depth: Int
    let isObject: Bool
    /// The place after the opening bracket.
    let start: SplitPlan.Mark
    /// Places after commas: the first one in each range.
    var cuts: [SplitPlan.Mark] = []
    /// The place of the closing bracket, or `nil` if it wasn't found.
    var end: SplitPlan.Mark?
    /// The number of ranges that it continues in.
    var rangeCount = 0
  }

  /// The open collections, by depth minus one.
  private var open: [Found?] = [nil, nil, nil]
  private var closed: [Found] = []
  private(set) var isSuspect = false

  /// Takes the next range of the document.
  mutating func consume(_ range: RangePlaces) {
    if isSuspect { return }
    guard !range.isSuspect else { return isSuspect = true }
    for (level, container) in range.enclosing.enumerated() {
      guard var found = open[level] else { continue }
      found.rangeCount += 1
      if let cut = container.firstCut { found.cuts.append(SplitPlan.Mark(cut)) }
      guard var end = container.end.map(SplitPlan.Mark.init) else {
        open[level] = found
        continue
      }
      open[level] = nil
      // Without a comma there is at most one item: nothing to cut.
      if end.index == 0 { continue }
      end.index &+= 1
      // The document has a comma that no item follows.
      if found.cuts.last?.offset == end.offset { found.cuts.removeLast() }
      found.end = end
      closed.append(found)
    }
    for (level, container) in range.open.enumerated() where open[level] == nil {
      open[level] = Found(
        depth: level + 1, isObject: !container.isArray, start: SplitPlan.Mark(container.inside, index: 0))
    }
  }

  /// Those worth cutting in the order of their starts, so each precedes those inside it.
  var collections: [Found] {
    (closed + open.compactMap(\.self)).filter(\.isWorthCutting).sorted { $0.start.offset < $1.start.offset }
  }
}

extension CollectionSurvey.Found {
  /// True unless it is an object of large members: as in most documents, whose root has a few collections, those are cut instead.
  var isWorthCutting: Bool { !isObject || cuts.count > rangeCount / 2 }

  /// True if its places are in order, and in a document of this size. Those of damaged scans may not be.
  func isValid(after start: SplitPlan.Mark?, byteCount: Int) -> Bool {
    let marks = [self.start] + cuts + (end.map { [$0] } ?? [])
    let isAfter = start.map { $0.offset < self.start.offset } ?? true
    return isAfter && marks.allSatisfy { $0.isValid && $0.offset <= byteCount }
      && zip(marks, marks.dropFirst()).allSatisfy { $0.offset < $1.offset && $0.index < $1.index }
  }
}

extension SplitPlan.Mark {
  fileprivate init(_ mark: RangePlaces.Mark) { self.init(mark.position, index: mark.index) }
}
