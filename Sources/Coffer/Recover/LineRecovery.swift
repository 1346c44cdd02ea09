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
  private let leave: (LeftOut, ByteView) throws -> Void
  private var index = 0
  /// The error that ended it: a line that is too long.
  private(set) var failure: CofferError?
  private(set) var hasContent = false

  init(
    _ source: some ByteSource, to sink: Sink, options: PassOptions, leaving leave: @escaping (LeftOut, ByteView) throws -> Void
  ) {
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
          if isWhole { try copy(slice) } else { try copyLines(of: slice) }
          return .more
        })
    } catch let error as CofferError where error.isFaultOfDocument {
      failure = error
    }
  }

  private mutating func copy(_ slice: Slice) throws {
    try slice.bytes(from: slice.start.offset, to: slice.end).withUnsafeBytes { try sink.write($0) }
    if slice.hasSuccessor { try sink.write("\n") }
    index += slice.recordCount
    hasContent = hasContent || slice.recordCount > 0
  }

  private mutating func copyLines(of slice: Slice) throws {
    var start = slice.start
    var rest = slice.bytes(from: start.offset, to: slice.end)
    while rest.count > 0 {
      let length = (0..<rest.count).first { rest[$0] == UInt8(ascii: "\n") } ?? rest.count
      let line = rest.prefix(length)
      if let value = (0..<length).first(where: { !SyntaxDiagnosis.isSpace(line[$0]) }) {
        if isWhole(line, from: value) {
          try line.withUnsafeBytes { try sink.write($0) }
          if length < rest.count || slice.hasSuccessor { try sink.write("\n") }
          hasContent = true
        } else {
          try leave(
            LeftOut(position: start, byteCount: line.count, pointer: "/\(index)", reason: .syntax, continues: false), line)
        }
        index += 1
      }
      start = TextPosition(offset: start.offset + length + 1, line: start.line + 1, column: 1)
      rest = rest.dropFirst(min(length + 1, rest.count))
    }
  }

  private func isWhole(_ line: ByteView, from value: Int) -> Bool {
    var scan = ValueScan(line, limits: options.limits, isEnd: true)
    guard case .value(let end) = scan.scan(from: value, depth: 0) else { return false }
    return (end..<line.count).allSatisfy { SyntaxDiagnosis.isSpace(line[$0]) }
  }
}
