import BackupFormats
import ByteStreams
import CompressedStreams
import JSONEvents
import Rules
import SystemPackage

/// Formats a document, one of its arrays, or the document without some collections, into a sink.
struct ConversionConsumer<Formatter: EventFormatter & ~Copyable, Sink: ByteSink>: DocumentConsumer, ~Copyable {
  private let options: ConversionOptions
  private let layout: FormatLayout
  private var formatter: Formatter
  /// The only array to write.
  private var path: CollectionPath?
  /// The collections to leave out.
  private var filter: CollectionFilter?
  private var output: CompressibleOutput<Sink>
  /// Holds the number 0, which replaces counts.
  private var zero: JSONEventReader

  init(_ options: ConversionOptions, _ filter: CollectionFilter?, to sink: Sink) throws {
    self.options = options
    self.filter = filter
    zero = JSONEventReader(MemorySource("0".utf8))
    output = CompressibleOutput(sink, compression: options.compression)
    layout = FormatLayout(options.layout)
    formatter = Formatter(layout: layout, at: .start, temporaryFolder: options.execution.temporaryFolder)
    // JSON Lines are an array's items.
    let pointer = options.collection ?? (options.layout == .lines ? "" : nil)
    path = try pointer.map { pointer throws(CofferError) in try CollectionPath(pointer) }
    while try zero.batch.count == 0 && zero.next() {}
  }

  mutating func consume(_ batch: EventBatch, lines: LineCursor) throws {
    if path == nil, filter == nil { try formatter.write(batch, 0..<batch.count) }
    for range in try runs(in: batch) { try formatter.write(batch, range) }
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
      if case .zero = fate { try formatter.write(zero.batch, 0..<1) }
      start = index + 1
    }
    try formatter.write(batch, start..<batch.count)
  }

  /// Returns the runs of events that belong to the requested array.
  private mutating func runs(in batch: EventBatch) throws(CofferError) -> [Range<Int>] {
    guard var path else { return [] }
    defer { self.path = path }
    var runs: [Range<Int>] = []
    var start: Int?
    for index in 0..<batch.count {
      let isWanted =
        switch try path.role(of: batch[index], in: batch) {
        case .outside: false
        case .bracket: options.layout != .lines
        case .record: true
        }
      if isWanted { start = start ?? index }
      if !isWanted, let from = start {
        runs.append(from..<index)
        start = nil
      }
    }
    if let start { runs.append(start..<batch.count) }
    return runs
  }

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> SliceFormatting<Formatter>)? {
    var formattedDepth: Int? = filter?.isInLeftOut == true ? nil : depth
    if let path {
      let bracketDepth = options.layout == .lines ? 0 : 1
      formattedDepth = path.relation == .holdsNone ? nil : path.recordDepth.map { depth - $0 + bracketDepth }
      if formattedDepth == nil, path.relation != .holdsNone { return nil }
    }
    let compression = Formatter.takesFormattedItems ? options.compression : nil
    let folder = options.execution.temporaryFolder
    return { [layout, formattedDepth, limits = options.limits] in
      SliceFormatting(
        layout: layout, depth: depth, formattedDepth: formattedDepth, limits: limits,
        encoder: compression.map(PieceEncoder.init), temporaryFolder: folder)
    }
  }

  var workerContext: Void { () }

  /// The sink, with everything written so far.
  var sink: Sink { output.sink }

  /// The kept and left-out arrays of a document of unknown format, if only some were selected.
  var foundChoice: CollectionChoice? { filter?.foundChoice }

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
struct SliceFormatting<Formatter: EventFormatter & ~Copyable>: SliceWorker {
  let layout: FormatLayout
  /// The number of open brackets around the records, in the document and in the output. `nil` if the records are not written.
  let depth: Int
  let formattedDepth: Int?
  let limits: ReaderLimits
  let encoder: PieceEncoder?
  let temporaryFolder: FilePath

  /// Returns the formatted slice, or `nil` if the text is disproportionately larger than the slice, which is then
  /// formatted as part of the envelope.
  func work(on slice: Slice, workerContext: Void) -> FormattedSlice? {
    var reader = SliceReader(slice, depth: depth, limits: limits)
    guard let formattedDepth else {
      while reader.next() {}
      return reader.hasFailed ? nil : .nothing
    }
    let place = FormatPlace(depth: formattedDepth, isAfterItem: slice.firstIndex > 0)
    var formatter = Formatter(layout: layout, at: place, temporaryFolder: temporaryFolder)
    while reader.next() {
      // Only draining can fail, and nothing is drained here.
      do { try formatter.write(reader.batch, 0..<reader.batch.count) } catch { return nil }
      // Indentation of deep nesting can enlarge a slice's text without limit. The envelope's text is passed on as it is
      // formatted.
      if formatter.byteCount > max(4 << 20, 4 * slice.byteCount) { return nil }
    }
    if reader.hasFailed { return nil }
    let text = formatter.takeText()
    return if let encoder { .compressed(encoder.encode(text.bytes)) } else { .text(FormattedText(text)) }
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
  let buffer: OutputBuffer
  init(_ buffer: consuming OutputBuffer) { self.buffer = buffer }
}

/// The parts to leave out of one document.
struct SelectiveConversion {
  let filter: CollectionFilter
  let choice: CollectionChoice?
  let danglingReferences: [DanglingReference]

  /// Finds the selected collections among those of the rules, or of the format that is detected by reading the document's start.
  init(_ selection: CollectionSelection, rules: RuleSource, of source: inout any ByteSource, _ syntax: JSONSyntax) throws {
    let document = try IdentifiedDocument(source, rules: rules, named: "", syntax: syntax)
    source = document.source
    switch document.identity {
    case .format(let format, _): self.init(try selection.choice(from: format), format.rules)
    case .rules(let rules, let name): self.init(try selection.choice(from: rules, named: name), rules)
    case .undetected(let error):
      if error.code == .ambiguous { throw CofferError(.ambiguousFormat, error.message) }
      // The collections are not known before they are read.
      self.init(filter: CollectionFilter(keeping: selection), choice: nil, danglingReferences: [])
    }
  }

  private init(_ choice: CollectionChoice, _ rules: RuleDocument) {
    self.init(
      filter: CollectionFilter(leavingOut: choice, rules: rules), choice: choice,
      danglingReferences: choice.danglingReferences(rules: rules))
  }

  private init(filter: CollectionFilter, choice: CollectionChoice?, danglingReferences: [DanglingReference]) {
    self.filter = filter
    self.choice = choice
    self.danglingReferences = danglingReferences
  }
}
