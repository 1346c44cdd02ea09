import ByteStreams
import CompressedStreams
import JSONEvents
import SystemPackage

/// Formats a document, one of its collections, or the document without some collections, into a sink.
struct ConversionConsumer<Formatter: EventFormatter & ~Copyable, Sink: ByteSink>: DocumentConsumer, ~Copyable {
  private let options: ConversionOptions
  private let layout: FormatLayout
  private var formatter: Formatter
  /// The only collection to write.
  private var path: CollectionPath?
  /// The collections to leave out.
  private var filter: CollectionFilter?
  private var output: CompressibleOutput<Sink>
  /// Holds the number 0, which replaces counts.
  private var constants: JSONEventReader
  private let zero = 1..<2
  /// Writes the records of an object as lines.
  private var members: MemberLines

  init(_ options: ConversionOptions, _ filter: CollectionFilter?, to sink: Sink) throws {
    self.options = options
    self.filter = filter
    constants = JSONEventReader(MemorySource("[0]".utf8))
    members = MemberLines()
    output = CompressibleOutput(sink, compression: options.compression)
    layout = options.layout
    formatter = Formatter(layout: layout, at: .start, temporaryFolder: options.execution.temporaryFolder)
    // JSON Lines are an array's items.
    let pointer = options.collection ?? (options.layout == .lines ? "" : nil)
    path = try pointer.map { pointer throws(CofferError) in
      try CollectionPath(pointer, takesObjects: options.collection != nil)
    }
    while try constants.batch.count == 0 && constants.next() {}
  }

  mutating func consume(_ batch: EventBatch, lines: LineCursor) throws {
    if path == nil, filter == nil { try formatter.write(batch, 0..<batch.count) }
    try writeCollection(batch)
    try writeFiltered(batch)
    try formatter.drain(to: &output)
  }

  private mutating func writeFiltered(_ batch: EventBatch) throws {
    guard var filter else { return }
    defer { self.filter = filter }
    var start = 0
    for index in 0..<batch.count {
      let fate = try filter.fate(of: batch[index], in: batch)
      if case .kept = fate { continue }
      try formatter.write(batch, start..<index)
      if case .zero = fate { try formatter.write(constants.batch, zero) }
      start = index + 1
    }
    try formatter.write(batch, start..<batch.count)
  }

  /// Writes the events that belong to the requested collection.
  private mutating func writeCollection(_ batch: EventBatch) throws {
    guard var path else { return }
    defer { self.path = path }
    var start: Int?
    func writeRun(to end: Int, _ formatter: inout Formatter) throws {
      guard let from = start else { return }
      start = nil
      if path.isObject, layout == .lines {
        try members.write(batch, from..<end, by: &formatter)
      } else {
        try formatter.write(batch, from..<end)
      }
    }
    for index in 0..<batch.count {
      switch try path.role(of: batch[index], in: batch) {
      case .outside: try writeRun(to: index, &formatter)
      case .bracket:
        if layout == .lines { try writeRun(to: index, &formatter) } else { start = start ?? index }
      case .name, .record: start = start ?? index
      }
    }
    try writeRun(to: batch.count, &formatter)
  }

  /// Members of sorted objects can't be written before all are known.
  static var takesObjects: Bool { Formatter.takesFormattedItems }

  /// Members outside of records may be counts, or lead to the requested collection.
  var slicesObject: Bool {
    if let filter { return filter.isInObjectOfRecords }
    return path?.isInRecords ?? true
  }

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> (Slice, Void) -> FormattedSlice?)? {
    var formattedDepth: Int? = filter?.isInLeftOut == true ? nil : depth
    var writesMemberLines = false
    if let path {
      writesMemberLines = layout == .lines && path.isObject && path.recordDepth == depth
      let bracketDepth = layout == .lines && (!path.isObject || writesMemberLines) ? 0 : 1
      formattedDepth = path.relation == .holdsNone ? nil : path.recordDepth.map { depth - $0 + bracketDepth }
      if formattedDepth == nil, path.relation != .holdsNone { return nil }
    }
    let compression = Formatter.takesFormattedItems ? options.compression : nil
    let folder = options.execution.temporaryFolder
    return { [layout, formattedDepth, writesMemberLines, limits = options.limits] in
      let formatting = SliceFormatting<Formatter>(
        layout: layout, depth: depth, formattedDepth: formattedDepth, limits: limits,
        encoder: compression.map(PieceEncoder.init), temporaryFolder: folder, writesMemberLines: writesMemberLines)
      return { slice, _ in formatting.text(of: slice) }
    }
  }

  /// The sink, with everything written so far.
  var sink: Sink { output.sink }

  /// The kept and left-out collections, if only some were selected.
  var choice: CollectionChoice? { filter?.choice }

  mutating func merge(_ partial: FormattedSlice, of slice: Slice) throws {
    switch partial {
    case .nothing: break
    case .text(let text): try formatter.append(text.buffer, to: &output)
    case .compressed(let piece):
      try formatter.flush(to: &output)
      try output.write(piece)
      formatter.skipItems()
    }
  }

  mutating func finish() throws {
    try path?.finish()
    try filter?.finish()
    try formatter.flush(to: &output)
    try output.finish()
  }
}

/// One thread's part of a conversion: checks that slices are well formed, formats their records, and compresses them.
struct SliceFormatting<Formatter: EventFormatter & ~Copyable> {
  let layout: FormatLayout
  /// The number of open brackets around the records, in the document and in the output. `nil` if the records are not written.
  let depth: Int
  let formattedDepth: Int?
  let limits: ReaderLimits
  let encoder: PieceEncoder?
  let temporaryFolder: FilePath
  /// True to keep the places of the records.
  var marksRecords = false
  /// True if each member becomes a line.
  var writesMemberLines = false

  /// Returns the formatted slice, or `nil` if the text is disproportionately larger than the slice, which is then
  /// formatted as part of the envelope.
  func text(of slice: Slice) -> FormattedSlice? {
    var reader = SliceReader(slice, depth: depth, limits: limits)
    guard let formattedDepth else {
      while reader.next() {}
      return reader.hasFailed ? nil : .nothing
    }
    let place = FormatPlace(depth: formattedDepth, isAfterItem: slice.firstIndex > 0 && formattedDepth > 0)
    var formatter = Formatter(layout: layout, at: place, temporaryFolder: temporaryFolder)
    var records = RecordMarks()
    var members = writesMemberLines ? MemberLines() : nil
    while reader.next() {
      // Only draining can fail, and nothing is drained here.
      do {
        if marksRecords {
          try records.write(reader.batch, by: &formatter)
        } else if members != nil {
          try members?.write(reader.batch, 0..<reader.batch.count, by: &formatter)
        } else {
          try formatter.write(reader.batch, 0..<reader.batch.count)
        }
      } catch { return nil }
      // Indentation of deep nesting can enlarge a slice's text without limit. The envelope's text is passed on as it is
      // formatted.
      if formatter.byteCount > max(4 << 20, 4 * slice.byteCount) { return nil }
    }
    if reader.hasFailed { return nil }
    let text = formatter.takeText()
    return if let encoder { .compressed(encoder.encode(text.bytes)) } else { .text(FormattedText(text, records.list)) }
  }
}

/// The result of a slice.
enum FormattedSlice: Sendable {
  /// The slice is well formed, but not part of the output.
  case nothing
  case text(FormattedText)
  case compressed(CompressedPiece)
}

/// Text that is passed from one thread to another.
final class FormattedText: Sendable {
  let buffer: ByteBuffer
  /// The places of the records, if they are wanted.
  let records: [RecordMarks.Mark]

  init(_ buffer: consuming ByteBuffer, _ records: [RecordMarks.Mark] = []) {
    self.buffer = buffer
    self.records = records
  }
}

/// The places of records in their document and in formatted text.
struct RecordMarks {
  struct Mark: BitwiseCopyable {
    /// The start in the document, of the name if the record is a member.
    let offset: Int
    /// The end of its text, which begins with the separator from the previous one.
    var end = 0
  }

  private(set) var list: [Mark] = []
  private var depth = 0
  /// True after a record's name.
  private var isNamed = false

  /// Writes the events of a slice, record by record.
  mutating func write<Formatter: EventFormatter & ~Copyable>(
    _ batch: EventBatch, by formatter: inout Formatter
  ) throws(CofferError) {
    var start = 0
    for index in 0..<batch.count {
      let event = batch[index]
      switch event.kind {
      case .objectEnd, .arrayEnd: depth -= 1
      case .key:
        if depth == 0 {
          list.append(Mark(offset: batch.offset(of: event)))
          isNamed = true
        }
        continue
      default:
        if depth == 0, !isNamed { list.append(Mark(offset: batch.offset(of: event))) }
        isNamed = false
        if event.kind == .objectStart || event.kind == .arrayStart { depth += 1 }
      }
      guard depth == 0 else { continue }
      try formatter.write(batch, start..<index + 1)
      list[list.count - 1].end = formatter.byteCount
      start = index + 1
    }
    try formatter.write(batch, start..<batch.count)
  }
}

/// Writes each member of an object as an object of its own: `{"d0": {…}}`.
private struct MemberLines: ~Copyable {
  private var braces = JSONEventReader(MemorySource("{}".utf8))
  private var depth = 0

  init() { while braces.batch.count == 0, (try? braces.next()) == true {} }

  /// - Parameter range: events inside the object.
  mutating func write<Formatter: EventFormatter & ~Copyable>(
    _ batch: EventBatch, _ range: Range<Int>, by formatter: inout Formatter
  ) throws(CofferError) {
    var start = range.lowerBound
    for index in range {
      switch batch[index].kind {
      case .key:
        if depth > 0 { continue }
        try formatter.write(batch, start..<index)
        try formatter.write(braces.batch, 0..<1)
        start = index
        continue
      case .objectStart, .arrayStart: depth += 1
      case .objectEnd, .arrayEnd: depth -= 1
      default: break
      }
      guard depth == 0 else { continue }
      try formatter.write(batch, start..<index + 1)
      try formatter.write(braces.batch, 1..<2)
      start = index + 1
    }
    try formatter.write(batch, start..<range.upperBound)
  }
}
