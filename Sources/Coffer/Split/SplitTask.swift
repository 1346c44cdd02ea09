package import ByteStreams
import Findings
import Foundation
import JSONEvents
import Pipelines
import Rules

/// One task of a plan: evaluates its parts, and writes what the merging process needs of them.
///
/// A task is a function of the plan and of the bytes of its parts: the result has the same bytes on any machine and in any repetition.
package struct SplitTask {
  private let plan: SplitPlan
  private let digest: String
  private let number: Int
  private let validator: Validator

  /// Where a task reads its parts.
  package enum Input {
    /// The files of the plan: opens them by name.
    case files((_ name: String) throws(CofferError) -> StoredBytes)
    /// The bytes of all its parts, one after another.
    case stream(any ByteSource)
  }

  /// - Parameters:
  ///   - digest: the plan's digest.
  ///   - validator: has the rules and options of the plan.
  /// - Throws: `planMismatch` if the plan has no such task.
  package init(_ number: Int, of plan: SplitPlan, digest: String, _ validator: Validator) throws(CofferError) {
    guard plan.tasks.indices.contains(number) else {
      throw CofferError(.planMismatch, "there is no task \(number): the plan has tasks 0 to \(plan.tasks.count - 1)")
    }
    self.plan = plan
    self.digest = digest
    self.number = number
    self.validator = validator
  }

  private var options: ValidationOptions { validator.options }

  /// Evaluates the parts, and writes the partial file.
  ///
  /// - Parameter keys: takes the operations on keys, which the partial file otherwise has.
  /// - Throws: `CofferError` if the input can't be read, or isn't that of the plan; `CancellationError`. A malformed document isn't
  ///   an error here: the merging process describes it.
  package func run<Keys: ByteSink>(_ input: Input, to sink: inout some ByteSink, keys: inout Keys?) throws {
    let keyFile = keys.map { KeyRowFileWriter(plan, digest: digest, task: number, to: $0) }
    var parts = plan.tasks[number].parts[...]
    let head = PartialFile.Head(plan: digest, tasks: [number], partCount: parts.count, hasKeys: keyFile == nil)
    var writer = try ChunkedWriter(head, to: sink)
    var input = input
    // All parts read the same stream, even if copies of the source each begin at its start.
    if case .stream(let stream) = input { input = .stream(EnvelopeSource(EnvelopeSource.Piece(stream))) }
    while let first = parts.first {
      let ofFile = parts.prefix { $0.file == first.file }
      parts = parts.dropFirst(ofFile.count)
      let file = plan.files[first.file]
      if first.gap == nil {
        try validate(first, file, input, &writer)
      } else {
        try evaluate(ofFile, of: file, input, &writer, keyFile)
      }
    }
    if case .stream(var stream) = input, try !stream.readPrefix(1).isEmpty {
      throw CofferError(.planMismatch, "standard input has more bytes than the parts of task \(number)")
    }
    sink = try writer.finish()
    keys = try keyFile?.finish()
  }

  /// Validates a whole file.
  private func validate(
    _ part: SplitPlan.Part, _ file: SplitPlan.File, _ input: Input, _ writer: inout ChunkedWriter<some ByteSink>
  ) throws {
    // The merging process can't find the ends of values in compressed documents and archives.
    var options = options
    options.addsPlaces = true
    let stored =
      switch input {
      case .files(let open): try file.opened(open)
      // Other parts may follow in the stream.
      case .stream(let stream):
        try StoredBytes.storing(
          EnvelopeSource(EnvelopeSource.Piece(stream, byteCount: file.bytes)), named: file.name, options.execution)
      }
    if case .stream = input, stored.byteCount != file.bytes { throw file.changed }
    let validator = Validator(validator.rules, options: options)
    // The merging process needs the keys of records to compare findings with a baseline.
    let report =
      try plan.options.baseline == nil
      ? validator.validate(StoredSource(stored), named: file.name)
      : validator.validateKeepingKeys(StoredSource(stored), named: file.name)
    try writer.begin(part, reached: nil)
    try writer.write(json: WholeReport(report))
  }

  /// Evaluates parts of one file, inside its envelope.
  private func evaluate(
    _ parts: ArraySlice<SplitPlan.Part>, of file: SplitPlan.File, _ input: Input,
    _ writer: inout ChunkedWriter<some ByteSink>, _ keyFile: KeyRowFileWriter<some ByteSink>?
  ) throws {
    let bytes: StoredBytes? =
      switch input {
      case .files(let open): try file.opened(open)
      case .stream: nil
      }
    func source(of part: SplitPlan.Part) -> EnvelopeSource {
      let range = part.start.offset..<file.end(of: part)
      let source: any ByteSource =
        switch (bytes, input) {
        case (let bytes?, _): StoredSource(bytes, range)
        case (nil, .stream(let stream)): stream
        case (nil, .files): preconditionFailure("files have been opened")
        }
      return EnvelopeSource(EnvelopeSource.Piece(source, byteCount: range.count))
    }
    let last = parts.compactMap(\.gap).max() ?? 0
    var result = ValidatedDocument(report: file.report)
    var pass = try validator.pass(over: file, &result)
    var number = 0
    try pass.run { consumer, object in
      try file.checkKind(object, at: number)
      for part in parts where part.gap == number {
        var source = source(of: part)
        try evaluate(part, of: file, source, in: consumer, &writer, keyFile)
        // The next part follows in the stream, even if this one was not read to its end.
        if bytes == nil { try finish(&source, of: file) }
      }
      number += 1
      return number > last ? .end : file.continuation(after: number - 1)
    }
    try bytes?.checkUnchanged()
  }

  /// Reads the rest of a part in a stream.
  private func finish(_ source: inout EnvelopeSource, of file: SplitPlan.File) throws(CofferError) {
    while try !source.readPrefix(1 << 16).isEmpty {}
    if !source.isAtGap { throw file.changed }
  }

  /// Evaluates consecutive records of a collection.
  private func evaluate(
    _ part: SplitPlan.Part, of file: SplitPlan.File, _ source: any ByteSource, in evaluator: borrowing DocumentEvaluator,
    _ writer: inout ChunkedWriter<some ByteSink>, _ keyFile: KeyRowFileWriter<some ByteSink>?
  ) throws {
    let gap = file.gaps[part.gap ?? 0]
    guard let context = evaluator.collection(depth: gap.depth, recordsBefore: 0) else {
      throw CofferError(.planMismatch, "\(file.name): the plan splits a collection that these rules don't allow to be split")
    }
    let slices = PartSlices(source, part, gap, file.syntax, options)
    var partial = evaluator.partial(in: context, memoryLimit: options.execution.memoryLimit)
    let (bounds, workers) = (partial.bounds, evaluator.workers(in: context))
    let rest = try OrderedPipeline(jobs: options.execution.jobs).run(
      next: { try slices.next() },
      makeWorker: {
        let work = workers()
        return { work($0, bounds) { _ in } }
      },
      merge: { slice, result in
        try options.execution.cancellation.check()
        guard let result, !partial.exceedsLimits(with: result), partial.takeNames(of: result) else { return .stop }
        try partial.append(result, of: slice)
        return .more
      })
    let reached = rest.first.map { SplitPlan.Mark($0.start, index: $0.firstIndex) } ?? slices.end
    if reached != part.end, reached.offset >= part.end.offset { throw file.changed }
    try writer.begin(part, reached: reached == part.end ? nil : reached)
    if let keyFile {
      keyFile.begin(file: part.file, at: part.start.offset)
      let rows = keyFile.rows(evaluator.options.key)
      try partial.moveKeys(to: rows)
      try rows.flush()
    }
    try writer.write(partial)
  }
}

/// The slices of a part.
private final class PartSlices {
  private let nextSlice: () throws -> Slice?
  private let position: () -> TextPosition
  /// The place after the last slice.
  private(set) var end: SplitPlan.Mark

  /// The largest record that is evaluated separately. The merging process reads a larger one, and everything after it.
  private static let largestRecord = 256 << 20

  init(
    _ source: any ByteSource, _ part: SplitPlan.Part, _ gap: SplitPlan.Gap, _ syntax: JSONSyntax, _ options: ValidationOptions
  ) {
    var slices = options.slices ?? Slicer.Options()
    slices.largestSlice = max(slices.largestSlice, Self.largestRecord)
    switch syntax {
    case .json:
      let slicer = Slicer(
        source, options: slices, depth: gap.depth, from: part.start.position, firstIndex: part.start.index, isObject: gap.isObject
      )
      (nextSlice, position) = ({ slicer.nextSlice() }, { slicer.envelope.position })
    case .jsonLines, .sequence:
      let slicer = LineSlicer(
        source, options: slices, limits: options.limits, from: part.start.position, firstIndex: part.start.index)
      nextSlice = {
        do { return try slicer.nextSlice() } catch CofferError.Code.lineLimit { return nil }
      }
      position = { slicer.position }
    }
    end = part.start
  }

  /// Returns the next slice, or `nil` at the end of the part, or before a record or line that is too large.
  func next() throws -> Slice? {
    guard let slice = try nextSlice() else {
      end = SplitPlan.Mark(position(), index: end.index)
      return nil
    }
    end.index = slice.firstIndex + slice.recordCount
    return slice
  }
}
