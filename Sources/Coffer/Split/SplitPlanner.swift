import BackupFormats
package import ByteStreams
import Findings
import Foundation
import JSONEvents
import Pipelines
import Rules

/// Finds the parts of a document that can be evaluated separately.
///
///     document ─▶ ranges ─▶ summaries, on all threads ─▶ large arrays ─▶ envelope, evaluated up to each of them ─▶ gaps
///
/// The first pass finds the arrays that can be cut. The second one reads only the envelope: an array is left out if the rules allow
/// that its records are evaluated separately.
///
/// Cost: the scan of `RangeScanner`. Memory: the envelope, and about 200 bytes for each of at most 65 536 ranges.
package struct SplitPlanner {
  private let validator: Validator
  private let rangeSize: Int?
  /// The largest envelope. A document with a larger one is a single part.
  private static let envelopeLimit = 16 << 20

  /// - Parameters:
  ///   - validator: has the rules and options of the plan.
  ///   - rangeSize: the granularity of cuts in bytes: arrays within one range are part of the envelope. `nil`: 1 MiB, or more for a
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
  ///   - open: opens a file by name.
  /// - Throws: `CofferError` if a file can't be read; the errors of the rules; `CancellationError`.
  package func plan(
    _ names: [String], into count: Int, keyBuckets: Int = 64, tool: String, format: String?, rules: SplitPlan.OwnRules?,
    open: (String) throws(CofferError) -> StoredBytes
  ) throws -> SplitPlan {
    var files: [SplitPlan.File] = []
    var parts: [SplitPlan.Part] = []
    for name in names {
      let planned = try plan(try open(name), named: name, number: files.count)
      files.append(planned.file)
      parts += planned.parts
    }
    let key = SipHash128.Key.random()
    return SplitPlan(
      tool: tool, now: options.now.description, key: [key.low, key.high],
      options: SplitPlan.Options(
        maxFindings: options.maximumFindings, duplicateKeys: options.duplicateKeys.rawValue, redact: options.redacts,
        only: options.only?.names, memoryLimit: options.execution.memoryLimit, keyBuckets: keyBuckets),
      format: format, rules: rules, files: files, tasks: SplitPlan.tasks(count, of: parts))
  }

  /// Scans a document.
  ///
  /// - Parameters:
  ///   - name: its name in reports.
  ///   - number: its number in the plan.
  /// - Returns: the document, and its parts: as many as can be cut.
  /// - Throws: `CofferError` if it can't be read; the errors of the rules; `CancellationError`.
  package func plan(
    _ bytes: StoredBytes, named name: String, number: Int
  ) throws -> (file: SplitPlan.File, parts: [SplitPlan.Part]) {
    let syntax = options.syntax ?? JSONSyntax(ofFileNamed: name)
    var draft = FileDraft(
      file: SplitPlan.File(name: name, syntax: syntax.planName, bytes: bytes.byteCount, report: ValidationReport(file: name)),
      number: number)
    let rangeSize = rangeSize ?? max(1 << 20, bytes.byteCount >> 16)
    if bytes.byteCount > rangeSize, try isPlainDocument(bytes) {
      do {
        let (program, result) = try validator.identify(StoredSource(bytes), named: name, syntax)
        draft.file.report = result.report
        draft.file.report.checkedRules = []
        let consumer = ValidationConsumer(program, options, of: result.format, in: .json)
        switch syntax {
        case .json: try cut(&draft, try arrays(in: bytes, rangeSize), bytes, consumer)
        case .jsonLines: try cutLines(&draft, bytes, rangeSize, consumer)
        }
      } catch let error as CofferError where !error.concernsRequest && error.code != .cancelled {
        // The document has a fault: its only task, which reads it from its start, describes it.
        draft.keepWhole()
      }
      try bytes.checkUnchanged()
    }
    return (draft.file, draft.parts)
  }

  /// Returns false for archives and compressed documents, which are read from their start.
  private func isPlainDocument(_ bytes: StoredBytes) throws(CofferError) -> Bool {
    switch try OpenedBackup(StoredSource(bytes), options.execution.unmetered) {
    case .document(let document): document.format == nil
    case .archive: false
    }
  }

  // MARK: JSON

  private func arrays(in bytes: StoredBytes, _ rangeSize: Int) throws -> [CollectionSurvey.Found] {
    var survey = CollectionSurvey()
    var scan = DocumentScan()
    var start = 0
    _ = try OrderedPipeline(jobs: options.execution.jobs).run(
      next: { () throws -> ScannedRange? in
        if start == bytes.byteCount { return nil }
        try options.execution.cancellation.check()
        let end = try bytes.rangeBoundary(atOrAfter: min(start + rangeSize, bytes.byteCount))
        var source = StoredSource(bytes, start..<end)
        defer { start = end }
        return ScannedRange(start: start, bytes: try source.readPrefix(end - start))
      },
      makeWorker: { RangeWorker() },
      merge: { _, summary in
        survey.take(scan.append(summary))
        return survey.isSuspect ? .stop : .more
      })
    return survey.arrays
  }

  /// Leaves arrays out of the envelope, as many as the rules allow.
  private func cut(
    _ draft: inout FileDraft, _ arrays: [CollectionSurvey.Found], _ bytes: StoredBytes, _ consumer: consuming ValidationConsumer
  ) throws {
    var passOptions = options.pass
    passOptions.execution.progress = nil
    passOptions.keys = consumer.keys
    var arrays = arrays[...]
    // The envelope so far, and the start of its next piece.
    var envelopeSize = 0
    var start = SplitPlan.Mark(TextPosition(offset: 0, line: 1, column: 1), index: 0)
    func piece(from offset: Int) -> EnvelopeSource.Piece {
      let byteCount = arrays.first.map { $0.start.offset - offset }
      return EnvelopeSource.Piece(StoredSource(bytes, offset..<bytes.byteCount), byteCount: byteCount)
    }
    func isTooLarge() -> Bool {
      envelopeSize + (arrays.first?.start.offset ?? bytes.byteCount) - start.offset > Self.envelopeLimit
    }
    func readPiece(to end: Int) throws(CofferError) -> SplitPlan.Piece {
      var source = StoredSource(bytes, start.offset..<end)
      envelopeSize += end - start.offset
      return SplitPlan.Piece(start: start, bytes: Data(try source.readPrefix(end - start.offset)))
    }
    if isTooLarge() { return draft.keepWhole() }
    var pass = DocumentPass(EnvelopeSource(piece(from: 0)), for: consumer, options: passOptions)
    do {
      try pass.run { consumer in
        guard let array = arrays.popFirst() else { throw draft.file.changed }
        guard let end = array.end ?? array.cuts.last, consumer.workers(depth: array.depth, recordsBefore: 0) != nil else {
          if isTooLarge() { return .end }
          return .envelope(piece(from: array.start.offset), from: array.start.position, skipped: nil)
        }
        draft.append(
          SplitPlan.Gap(
            pointer: consumer.containerPointer(), depth: array.depth, start: array.start, end: end, isClosed: array.end != nil),
          after: try readPiece(to: array.start.offset), cuts: array.cuts)
        while let next = arrays.first, next.start.offset < end.offset { arrays.removeFirst() }
        start = end
        if array.end == nil || isTooLarge() { return .end }
        return .envelope(piece(from: end.offset), from: end.position, skipped: .all)
      }
      if isTooLarge() { return draft.keepWhole() }
      if draft.file.gaps.last?.isClosed == true { draft.file.pieces.append(try readPiece(to: bytes.byteCount)) }
    } catch let error as CofferError where error.place.position != nil {
      // The rest is malformed. The merging process reads it, and describes the error.
    }
  }

  // MARK: JSON Lines

  private func cutLines(
    _ draft: inout FileDraft, _ bytes: StoredBytes, _ rangeSize: Int, _ consumer: consuming ValidationConsumer
  ) throws {
    var pass = options.pass
    pass.execution.progress = nil
    let piece = EnvelopeSource.Piece(MemorySource("[".utf8), byteCount: 1)
    var documentPass = DocumentPass(EnvelopeSource(piece), for: consumer, options: pass)
    var canBeCut = false
    try documentPass.run { consumer in
      canBeCut = consumer.workers(depth: 1, recordsBefore: 0) != nil
      return .end
    }
    guard canBeCut else { return }
    var slices = Slicer.Options()
    slices.sliceSize = rangeSize
    let slicer = LineSlicer(StoredSource(bytes), options: slices, limits: options.limits)
    var cuts: [SplitPlan.Mark] = []
    var count = 0
    while let slice = try slicer.nextSlice() {
      try options.execution.cancellation.check()
      cuts.append(SplitPlan.Mark(slice.start, index: slice.firstIndex))
      count = slice.firstIndex + slice.recordCount
    }
    guard let start = cuts.first else { return }
    let end = SplitPlan.Mark(slicer.position, index: count)
    draft.append(
      SplitPlan.Gap(pointer: "", depth: 1, start: start, end: end, isClosed: true),
      after: SplitPlan.Piece(start: start, bytes: Data("[".utf8)), cuts: Array(cuts.dropFirst()))
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

/// A range of a document.
private struct ScannedRange: Sendable {
  let start: Int
  let bytes: [UInt8]
}

private struct RangeWorker: Worker {
  mutating func process(_ range: ScannedRange) -> RangeSummary {
    range.bytes.withUnsafeBytes { bytes in
      var scanner = RangeScanner(from: range.start)
      scanner.feed(bytes)
      return scanner.finish()
    }
  }
}
