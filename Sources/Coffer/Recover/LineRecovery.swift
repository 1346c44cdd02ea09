import ByteStreams
import JSONEvents
import Pipelines

/// Copies damaged JSON Lines without the lines that are not one whole value, or a sequence without the values that are not whole. A line or
/// value is a record.
///
/// A value of a sequence that isn't whole ends at a record separator, or before a bracket that can't open a value in it. Without
/// separators, what follows may still be a part of it: then it must look like a record.
///
/// Memory: a few slices; a line may take up to `ReaderLimits.lineSize`.
struct LineRecovery<Sink: ByteSink> {
  private let slicer: LineSlicer
  private let syntax: JSONSyntax
  private(set) var sink: Sink
  private let options: PassOptions
  /// The records to leave out, although they are whole.
  private let removals: Removals?
  /// What the source was made from, if places are those in that document.
  private var origins: MoveLog?
  private let leave: (LeftOut, ByteView) throws -> Void
  private var index = 0
  /// The number of lines with a value, and of bytes, that were written, and where the bytes come from.
  private var count = 0
  private var outputCount = 0
  private(set) var moves: MoveLog
  /// The error that ended it: a line that is too long.
  private(set) var failure: CofferError?
  private(set) var hasContent = false
  /// True if values of a sequence were left out, so that those around them may touch.
  private var hasGap = false
  /// True if the value before was not whole, so that what follows may be its rest.
  private var isInRest = false
  private var hasSeparators = false
  private var shape = RecordShape()

  /// - Parameters: as those of `DocumentRecovery`.
  init(
    _ source: some ByteSource, as syntax: JSONSyntax, to sink: Sink, options: PassOptions, origins: MoveLog? = nil,
    without removals: Removals? = nil,
    leaving leave: @escaping (LeftOut, ByteView) throws -> Void
  ) {
    self.removals = removals
    self.origins = origins
    moves = MoveLog(options.execution)
    self.syntax = syntax
    slicer = LineSlicer(source, as: syntax, limits: options.limits)
    self.sink = sink
    self.options = options
    self.leave = leave
  }

  /// The number of bytes that were read.
  var bytesRead: Int { slicer.bytesRead }

  mutating func run() throws {
    let limits = options.limits
    do {
      _ = try OrderedPipeline(jobs: options.execution.jobs).run(
        next: {
          try options.execution.cancellation.check()
          return try slicer.nextSlice()
        },
        makeWorker: { { (slice: Slice) in slice.read(depth: 1, limits: limits) } },
        merge: { slice, isWhole in
          let isValid = try removals?.isAny(in: slice.start.offset..<slice.end) != true
          if isWhole, isValid, !isInRest { try copy(slice) } else { try copyLines(of: slice) }
          return .more
        })
    } catch let error as CofferError where error.isFaultOfDocument {
      failure = error
    }
    try moves.finish()
  }

  private mutating func copy(_ slice: Slice) throws {
    let bytes = slice.bytes(from: slice.start.offset, to: slice.end)
    var lines = LineCursor(bytes: bytes, at: slice.start)
    try pass(slice.end, &lines)
    learn(slice)
    try write(bytes, at: slice.start, isEnded: slice.hasSuccessor)
    index += slice.recordCount
    count += slice.recordCount
    hasContent = hasContent || slice.recordCount > 0
  }

  private mutating func copyLines(of slice: Slice) throws {
    var lines = LineCursor(bytes: slice.bytes(from: slice.start.offset, to: slice.end), at: slice.start)
    try slice.forEachUnit { unit in
      if unit.isBlank {
        if syntax == .sequence { try write(unit.bytes, at: unit.start, isEnded: unit.isEnded) }
        return true
      }
      try pass(unit.valueStart.offset + 1, &lines)
      if let entry = try leftOut(unit) {
        try leave(entry, entry.continues ? unit.bytes : unit.value)
        hasGap = syntax == .sequence
        if entry.continues { return true }
      } else {
        try write(unit.bytes, at: unit.start, isEnded: unit.isEnded)
        count += 1
        hasContent = true
      }
      index += 1
      return true
    }
  }

  /// Returns the entry for a unit that is not one whole value, or that is to be left out.
  private mutating func leftOut(_ unit: Slice.Unit) throws -> LeftOut? {
    let place = origins?.origin(of: unit.valueStart) ?? unit.valueStart
    let pointer = "/\(index + (origins?.indexShift ?? 0))"
    var names: [[UInt8]] = []
    let wasInRest = isInRest
    if let reason = fault(of: unit, &names) {
      // The rest of a value is a part of it.
      if wasInRest, isInRest {
        let start = origins?.origin(of: unit.start) ?? unit.start
        return LeftOut(position: start, byteCount: unit.bytes.count, pointer: pointer, reason: reason, continues: true)
      }
      return LeftOut(position: place, byteCount: unit.value.count, pointer: pointer, reason: reason, continues: false)
    }
    learn(unit, names)
    let range = unit.valueStart.offset..<unit.valueStart.offset + unit.value.count
    return try removals?.take(in: range).map { LeftOut($0.reason, range, $0, of: pointer, in: range, unit.value, at: place) }
  }

  /// - Parameter isEnded: true if a line break follows the lines.
  private mutating func write(_ bytes: ByteView, at start: TextPosition, isEnded: Bool) throws {
    if hasGap, outputCount > 0, !SyntaxDiagnosis.isSpace(bytes[0]) {
      try sink.write("\n")
      outputCount += 1
    }
    hasGap = false
    if outputCount == 0, slicer.hasByteOrderMark {
      try sink.write("\u{FEFF}")
      outputCount = 3
    }
    try moves.append(outputCount, from: start.offset, indexShift: index - count) { _ in start }
    try bytes.withUnsafeBytes { try sink.write($0) }
    outputCount += bytes.count
    guard isEnded, syntax == .jsonLines else { return }
    try sink.write("\n")
    outputCount += 1
  }

  /// Passes the places before an offset at which the source lacks something.
  private mutating func pass(_ end: Int, _ lines: inout LineCursor) throws {
    while let mark = origins?.nextOffset, mark < end { try origins?.pass(at: lines.position(at: mark)) }
  }

  // MARK: Values

  /// Returns why a unit is left out, or `nil` if it is a whole value.
  ///
  /// - Parameter names: gets the names of its members.
  private mutating func fault(of unit: Slice.Unit, _ names: inout [[UInt8]]) -> LeftOut.Reason? {
    let value = unit.value
    var scan = ValueScan(value, limits: options.limits, isEnd: true)
    let outcome = scan.scan(from: value.firstIndexPastSpace(from: 0), depth: 0)
    names = scan.names.map { value[$0].array }
    let begins =
      unit.bytes.count > value.count
      && unit.bytes.prefix(unit.bytes.count - value.count).array.contains(JSONSyntax.recordSeparator)
    hasSeparators = hasSeparators || begins
    if begins { isInRest = false }
    guard case .value(let end) = outcome, !unit.isName, value.dropFirst(end).array.allSatisfy(SyntaxDiagnosis.isSpace) else {
      isInRest = syntax == .sequence
      return scan.brokenString != nil ? .string : outcome == .unfinished ? .truncated : .syntax
    }
    if isInRest {
      guard !hasSeparators, mayBeRecord(value, names) else { return .syntax }
      isInRest = false
    }
    return nil
  }

  /// Returns true if a value looks like those before it.
  private func mayBeRecord(_ value: ByteView, _ names: [[UInt8]]) -> Bool {
    switch value[0] {
    case UInt8(ascii: "{"): shape.mayBe(names)
    case UInt8(ascii: "\""): shape.hasStrings && shape.recordCount == 0
    default: shape.hasOthers && shape.recordCount == 0
    }
  }

  private mutating func learn(_ unit: Slice.Unit, _ names: [[UInt8]]) {
    if syntax == .sequence { shape.learn(unit.value, names: names, limits: options.limits) }
  }

  /// Learns from the first values of a sequence.
  private mutating func learn(_ slice: Slice) {
    if syntax == .jsonLines || shape.isComplete { return }
    var count = 0
    slice.forEachUnit { unit in
      if unit.isBlank { return true }
      var scan = ValueScan(unit.value, limits: options.limits, isEnd: true)
      _ = scan.scan(from: 0, depth: 0)
      learn(unit, scan.names.map { unit.value[$0].array })
      hasSeparators = hasSeparators || unit.bytes[0] == JSONSyntax.recordSeparator
      count += 1
      return !shape.isComplete && count < 1000
    }
  }
}
