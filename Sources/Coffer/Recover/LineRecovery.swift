import ByteStreams
import JSONEvents
import Pipelines

/// Copies damaged JSON Lines without the lines that are not one whole value. A line is a record, so that nothing is uncertain.
///
/// Memory: a few slices; a line may take up to `ReaderLimits.lineSize`.
struct LineRecovery<Sink: ByteSink> {
  private let slicer: LineSlicer
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

  /// - Parameters: as those of `DocumentRecovery`.
  init(
    _ source: some ByteSource, to sink: Sink, options: PassOptions, origins: MoveLog? = nil, without removals: Removals? = nil,
    leaving leave: @escaping (LeftOut, ByteView) throws -> Void
  ) {
    self.removals = removals
    self.origins = origins
    moves = MoveLog(options.execution)
    slicer = LineSlicer(source, limits: options.limits)
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
          if isWhole, isValid { try copy(slice) } else { try copyLines(of: slice) }
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
    try write(bytes, at: slice.start, endsLine: slice.hasSuccessor)
    index += slice.recordCount
    count += slice.recordCount
    hasContent = hasContent || slice.recordCount > 0
  }

  private mutating func copyLines(of slice: Slice) throws {
    var start = slice.start
    var rest = slice.bytes(from: start.offset, to: slice.end)
    var lines = LineCursor(bytes: rest, at: start)
    while rest.count > 0 {
      let length = (0..<rest.count).first { rest[$0] == UInt8(ascii: "\n") } ?? rest.count
      let line = rest.prefix(length)
      if let value = (0..<length).first(where: { !SyntaxDiagnosis.isSpace(line[$0]) }) {
        try pass(start.offset + 1, &lines)
        if let entry = try leftOut(line, from: value, at: start) {
          try leave(entry, line)
        } else {
          try write(line, at: start, endsLine: length < rest.count || slice.hasSuccessor)
          count += 1
          hasContent = true
        }
        index += 1
      }
      start = TextPosition(offset: start.offset + length + 1, line: start.line + 1, column: 1)
      rest = rest.dropFirst(min(length + 1, rest.count))
    }
  }

  /// Returns the entry for a line that is not one whole value, or that is to be left out.
  private mutating func leftOut(_ line: ByteView, from value: Int, at start: TextPosition) throws -> LeftOut? {
    let place = origins?.origin(of: start) ?? start
    let pointer = "/\(index + (origins?.indexShift ?? 0))"
    guard isWhole(line, from: value) else {
      return LeftOut(position: place, byteCount: line.count, pointer: pointer, reason: .syntax, continues: false)
    }
    let range = start.offset..<start.offset + line.count
    return try removals?.take(in: range).map { LeftOut($0.reason, range, $0, of: pointer, in: range, line, at: place) }
  }

  private mutating func write(_ bytes: ByteView, at start: TextPosition, endsLine: Bool) throws {
    try moves.append(outputCount, from: start.offset, indexShift: index - count) { _ in start }
    try bytes.withUnsafeBytes { try sink.write($0) }
    if endsLine { try sink.write("\n") }
    outputCount += bytes.count + (endsLine ? 1 : 0)
  }

  /// Passes the places before an offset at which the source lacks something.
  private mutating func pass(_ end: Int, _ lines: inout LineCursor) throws {
    while let mark = origins?.nextOffset, mark < end { try origins?.pass(at: lines.position(at: mark)) }
  }

  private func isWhole(_ line: ByteView, from value: Int) -> Bool {
    var scan = ValueScan(line, limits: options.limits, isEnd: true)
    guard case .value(let end) = scan.scan(from: value, depth: 0) else { return false }
    return (end..<line.count).allSatisfy { SyntaxDiagnosis.isSpace(line[$0]) }
  }
}
