import ByteStreams
import JSONEvents
import SystemPackage

/// Writes the existing document again, with the plan's records of the other one.
struct MergeConsumer<Sink: ByteSink>: DocumentConsumer, ~Copyable {
  private let plan: MergePlan
  private let other: ComparedInput
  /// The other document, if the plan takes anything from it.
  private let texts: StoredBytes?
  private let skeleton: Skeleton
  private let closings: [Int?]
  private let arrays: Set<Int>
  private let limits: ReaderLimits
  private let folder: FilePath
  private let layout: FormatLayout
  private let writesLines: Bool
  private var cursor: SkeletonCursor
  private var output: MergeOutput<Sink>
  private var replacement: MergePlan.Text?
  /// True if the current or next value has been replaced.
  private var isReplaced = false
  private var counts: NumberPaths

  init(
    _ plan: MergePlan, _ reading: PairReading, _ options: MergeOptions, _ layout: FormatLayout, to sink: Sink
  ) throws {
    let document = plan.isEmpty ? nil : try reading.inputs.new.document()
    let first = try plan.takeReplacement()
    texts = document
    replacement = first
    self.plan = plan
    limits = options.comparison.limits
    folder = options.comparison.execution.temporaryFolder
    self.layout = layout
    writesLines = layout == .lines
    output = MergeOutput(layout, to: CompressibleOutput(sink, compression: options.compression))
    other = reading.inputs.new
    skeleton = reading.skeleton
    closings = reading.facts.old.closings
    arrays = reading.facts.old.arrays
    cursor = SkeletonCursor(skeleton)
    counts = NumberPaths(plan.counts.compactMap { $0.merged == $0.existing ? nil : ($0.path, $0.merged) })
  }

  var sink: Sink { output.sink }

  // MARK: Envelope

  mutating func consume(_ batch: EventBatch, lines: LineCursor) throws {
    var start = 0
    /// Writes the events before this one, which is left out.
    func leaveOut(_ index: Int, _ output: inout MergeOutput<Sink>) throws {
      try output.write(batch, start..<index)
      start = index + 1
    }
    for index in 0..<batch.count {
      let event = batch[index]
      let number = counts.number(at: event, of: batch)
      switch cursor.consume(event, of: batch) {
      case .leftOut: break
      case .opening(let node):
        if writesLines, node == Skeleton.root { try leaveOut(index, &output) }
      case .closing(let node):
        try output.write(batch, start..<index)
        start = index
        try writeInsertions(into: node)
        if writesLines, node == Skeleton.root { start = index + 1 }
      case .key(let node):
        if batch.offset(of: event) == replacement?.order {
          try leaveOut(index, &output)
          try writeReplacement(in: node)
        }
      case .value(let node, let isFirst, let isLast):
        if isFirst, !isReplaced, batch.offset(of: event) == replacement?.order {
          try output.write(batch, start..<index)
          try writeReplacement(in: node)
        }
        if isReplaced {
          start = index + 1
          if isLast { isReplaced = false }
        } else if let number {
          try leaveOut(index, &output)
          try output.write(number)
        }
      }
    }
    try output.write(batch, start..<max(start, batch.count))
  }

  private mutating func writeReplacement(in node: Int) throws {
    guard let text = replacement else { return }
    isReplaced = true
    try write([text.range], in: node)
    replacement = try plan.takeReplacement()
  }

  private mutating func write(_ ranges: [Range<Int>], in node: Int) throws {
    var rest = ranges.makeIterator()
    try write(in: node) { () throws(CofferError) in rest.next() }
  }

  private mutating func writeInsertions(into node: Int) throws {
    guard let closing = closings[node], let first = try plan.takeInsertion(closing: closing) else { return }
    var isFirst = true
    try write(in: node) { [plan] () throws(CofferError) in
      defer { isFirst = false }
      return isFirst ? first : try plan.takeInsertion(closing: closing)
    }
  }

  private mutating func write(in node: Int, next: @escaping () throws(CofferError) -> Range<Int>?) throws {
    guard var reader = reader(in: node, next: next) else { return }
    try other.reading { try reader.writeAll(to: &output) }
  }

  private func reader(in node: Int, next: @escaping () throws(CofferError) -> Range<Int>?) -> TextReader? {
    guard let texts else { return nil }
    // The document has no surrounding container, and the root may be an array.
    let isObject = node != Skeleton.holder && skeleton.nodes[node].holdsMembers && !arrays.contains(node)
    let path = skeleton.nodes[node].path
    let changed = plan.counts.filter { isObject && $0.merged != $0.other && $0.path.starts(with: path) }
    let counts = NumberPaths(changed.map { (Array($0.path.dropFirst(path.count)), $0.merged) })
    return TextReader(texts, isObject: isObject, counts: counts, limits: limits, next: next)
  }

  // MARK: Slices

  static var takesObjects: Bool { true }

  var slicesObject: Bool { cursor.isInNamedRecords }

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> (Slice, Void) -> FormattedSlice?)? {
    let formattedDepth = isReplaced ? nil : depth - (writesLines ? 1 : 0)
    return { [layout, limits, folder] in
      let formatting = SliceFormatting<PlainFormatter>(
        layout: layout, depth: depth, formattedDepth: formattedDepth, limits: limits, encoder: nil, temporaryFolder: folder,
        marksRecords: true)
      return { slice, _ in formatting.text(of: slice) }
    }
  }

  mutating func merge(_ partial: FormattedSlice, of slice: Slice) throws {
    guard case .text(let formatted) = partial else { return }
    guard case .records(let node) = cursor.innermostArray, let first = replacement, first.order < slice.end else {
      return try output.write(formatted.buffer.bytes)
    }
    var replacements: [MergePlan.Text] = []
    while let text = replacement, text.order < slice.end {
      replacements.append(text)
      replacement = try plan.takeReplacement()
    }
    try write(formatted, replacing: replacements, in: node)
  }

  /// Writes a slice's records, replacing those that the plan takes from the other document.
  private mutating func write(_ formatted: FormattedText, replacing texts: [MergePlan.Text], in node: Int) throws {
    var ranges = texts.map(\.range).makeIterator()
    guard var reader = reader(in: node, next: { () throws(CofferError) in ranges.next() }) else { return }
    var orders = texts.map(\.order).makeIterator()
    var order = orders.next()
    var start = 0
    var end = 0
    for record in formatted.records {
      if record.offset == order {
        try output.write(UnsafeRawBufferPointer(rebasing: formatted.buffer.bytes[start..<end]))
        _ = try other.reading { try reader.writeNext(to: &output) }
        start = record.end
        order = orders.next()
      }
      end = record.end
    }
    try output.write(UnsafeRawBufferPointer(rebasing: formatted.buffer.bytes[start..<end]))
  }

  mutating func finish() throws {
    if replacement != nil {
      throw CofferError(.inputChanged, "the input changed: a value to replace is missing")
    }
    try output.finish()
  }
}
