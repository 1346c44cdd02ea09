package import ByteStreams
import Findings
import JSONEvents

/// The bytes of a partial:
///
///     | "CPRT" | version, 1 byte | frame: everything else | frame: waiting log | … | empty frame | key rows | empty chunk |
///     frame      | length, 8 bytes | content |
///
/// The same content always has the same bytes. Damage is an error or changes the content, but never traps: the file around it
/// has a checksum.
extension CollectionPartial {
  private static let heading: [UInt8] = Array("CPRT".utf8) + [4]

  // MARK: Writing

  /// Writes the partial for `init(decoding:…)`.
  ///
  /// - Throws: an error of the sink, or of a temporary file.
  package mutating func encode(to sink: inout some ByteSink) throws(CofferError) {
    try sink.write(Self.heading)
    var writer = PartialWriter()
    encodeContent(to: &writer)
    try Self.write(writer, to: &sink)
    try waiting.forEachLog { rules, bytes throws(CofferError) in
      var writer = PartialWriter()
      writer.append(list: rules) { $0.append($1) }
      writer.append(bytes)
      try Self.write(writer, to: &sink)
    }
    try Self.write(PartialWriter(), to: &sink)
    try encodeKeys(to: &sink)
  }

  private static func write(_ writer: consuming PartialWriter, to sink: inout some ByteSink) throws(CofferError) {
    var length = RecordBuffer()
    length.append(UInt64(writer.buffer.count), length: 8)
    try length.withBytes { bytes throws(CofferError) in try sink.write(bytes) }
    try writer.buffer.withBytes { bytes throws(CofferError) in try sink.write(bytes) }
  }

  private func encodeContent(to writer: inout PartialWriter) {
    for number in [shape.frameCount, shape.skipDepth, shape.offset, shape.activeCount, shape.cellCount, shape.aggregateCount] {
      writer.append(number)
    }
    writer.append(list: shape.scopeNumbers) { $0.append($1) }
    writer.append(optional: firstIndex) { $0.append($1) }

    let collector = content.collector
    writer.append(list: collector.storedShares) { $0.append($1) }
    writer.append(collector.distribution)
    writer.append(content.budget)
    writer.append(content.recordCount)
    writer.append(content.itemCount)
    writer.append(list: content.valueCounts) { writer, value in
      writer.append(value.index)
      writer.append(value.count)
    }
    writer.append(list: content.itemCounts) { $0.append($1) }
    writer.append(list: content.expectedCounts) { writer, count in
      writer.append(count.countIndex)
      writer.append(count.value)
      writer.append(count.rule)
      writer.append(count.subject)
    }
    writer.append(list: content.entryClaims) { $0.append($1) }
    writer.append(list: content.outerDeferred) { $0.append($1) }
    writer.append(list: content.aggregates) { $0.append($1) }
    writer.append(list: content.outerAggregates) { $0.append($1) }
    writer.append(list: content.outerAggregateComparisons) { $0.append($1) }
    writer.append(list: content.rootAggregateComparisons) { $0.append($1) }
    writer.append(list: content.newerMembers) { writer, member in
      writer.append(member.count)
      writer.append(list: member.subjects) { $0.append($1) }
    }
    writer.append(list: content.faultyLists) { $0.append($1) }
    writer.append(list: waiting.rules) { writer, rule in
      writer.append(rule.check)
      writer.append(rule.cell)
      writer.append(optional: rule.extremes) { writer, extremes in
        writer.append(extremes.least)
        writer.append(extremes.greatest)
      }
    }
  }

  // MARK: Reading

  /// Reads what ``encode(to:)`` wrote, in a process with the same program and options.
  ///
  /// - Parameter memoryLimit: the memory for keys, in bytes.
  /// - Throws: `damagedPartial`, an error of the source, or of a temporary file.
  package init(
    decoding source: inout some ByteSource, _ program: RuleProgram, options: RuleEvaluator.Options, memoryLimit: Int
  ) throws(CofferError) {
    guard try source.readPrefix(Self.heading.count) == Self.heading else { throw .damagedPartial }
    let head = try Self.readFrame(from: &source).read(program) { reader in Self.decodeContent(&reader, program, options) }
    guard let head else { throw .damagedPartial }
    var waiting = WaitingComparisons(in: options.temporaryFolder)
    let numbers = head.rules.map { waiting.add($0) }
    // Two equal rules would be one here.
    guard numbers == Array(numbers.indices) else { throw .damagedPartial }
    while true {
      let frame = try Self.readFrame(from: &source)
      if frame.isEmpty { break }
      let log = frame.read(program) { reader in
        (rules: reader.list { $0.number(below: numbers.count) }, bytes: reader.bytes())
      }
      guard let log, WaitingLog.read(log.bytes, { number, _, _, place in number < log.rules.count && place.isSmall }) else {
        throw .damagedPartial
      }
      try waiting.append(log.bytes, rules: log.rules)
    }
    let (shape, schema) = (head.shape, KeySchema(program))
    var operations = 0
    let rows = try KeyRows(decoding: &source, in: options.temporaryFolder) { row in
      operations += min(max(0, row.violation.count), PartialReader.largest)
      return row.isValid(schema, hasScope: shape.scopeNumbers.contains) && operations <= PartialReader.largest
    }
    self.init(
      program, options, shape, head.content, firstIndex: head.firstIndex, waiting, rows, memoryLimit: memoryLimit)
  }

  private static func readFrame(from source: inout some ByteSource) throws(CofferError) -> [UInt8] {
    let header = try source.readPrefix(8)
    let length = header.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard header.count == 8, length < UInt64(PartialReader.largest) else { throw .damagedPartial }
    var frame: [UInt8] = []
    // In pieces: a damaged length must not allocate more than there is.
    while UInt64(frame.count) < length {
      let piece = try source.readPrefix(Int(min(1 << 20, length - UInt64(frame.count))))
      if piece.isEmpty { throw .damagedPartial }
      frame += piece
    }
    return frame
  }

  private struct Head {
    var shape: CollectionShape
    var firstIndex: Int?
    var content: Partial
    var rules: [WaitingLog.Rule]
  }

  private static func decodeContent(
    _ reader: inout PartialReader, _ program: RuleProgram, _ options: RuleEvaluator.Options
  ) -> Head {
    let shape = CollectionShape(
      frameCount: reader.number(), skipDepth: reader.number(), offset: reader.number(), activeCount: reader.number(),
      cellCount: reader.number(), aggregateCount: reader.number(), scopeNumbers: reader.list { $0.number() })
    reader.check(shape.scopeNumbers.allSatisfy { $0 >= program.keySetCount })
    reader.check(Set(shape.scopeNumbers).count == shape.scopeNumbers.count)
    let firstIndex = reader.optional { $0.number() }

    let bounds = ReportBounds(program, options)
    var content = Partial(program, bounds)
    let shares = reader.list { $0.share(findingLimit: bounds.maximumFindings) }
    // A sum of damaged numbers must not overflow.
    reader.check(shares.reduce(0.0) { $0 + Double($1.count) + Double($1.demand) } < Double(PartialReader.largest))
    let distribution = reader.distribution()
    if !reader.hasFailed { content.collector.restore(shares, distribution) }
    content.budget = reader.budget()
    content.recordCount = reader.number()
    content.itemCount = reader.number()
    content.valueCounts = reader.list { reader in
      ValueCount(index: Int32(reader.number(below: program.members.count + program.states.count)), count: reader.number())
    }
    reader.check(zip(content.valueCounts, content.valueCounts.dropFirst()).allSatisfy { $0.index < $1.index })
    reader.check(content.valueCounts.reduce(0.0) { $0 + Double($1.count) } < Double(PartialReader.largest))
    content.itemCounts = reader.list { $0.number() }
    reader.check(content.itemCounts.count == program.countNames.count)
    content.expectedCounts = reader.list { reader in
      let (index, value, rule) = (reader.number(below: program.countNames.count), reader.value(), reader.rule())
      return ExpectedCount(countIndex: index, value: value, rule: rule, subject: reader.subject())
    }
    content.entryClaims = reader.list { $0.entryClaim() }
    content.outerDeferred = reader.list { $0.comparison(shape) }
    content.aggregates = reader.list { $0.aggregate() }
    content.outerAggregates = reader.list { $0.aggregate() }
    reader.check(content.aggregates.count == program.aggregateCount && content.outerAggregates.count == shape.aggregateCount)
    content.outerAggregateComparisons = reader.list { $0.aggregateComparison(activeCount: shape.activeCount) }
    content.rootAggregateComparisons = reader.list { $0.aggregateComparison(activeCount: nil) }
    let limits = bounds.newerMembers
    content.newerMembers = reader.list { reader in
      let (count, limit) = (reader.number(), limits.first ?? 0)
      return NewerMember(count: count, subjects: reader.list(limit: limit) { $0.subject() }, limit: limit)
    }
    reader.check(content.newerMembers.count == limits.count)
    content.faultyLists = reader.list(limit: Partial.faultyListLimit) { $0.text() }
    let rules = reader.list { reader in
      let (check, cell) = (reader.dataCheck(), reader.number(below: program.globalCellCount))
      let extremes = reader.optional { (least: $0.instant(), greatest: $0.instant()) }
      return WaitingLog.Rule(check: check, cell: cell, extremes: extremes)
    }
    return Head(shape: shape, firstIndex: firstIndex, content: content, rules: rules)
  }
}

extension [UInt8] {
  /// Returns what `body` reads, or `nil` if it isn't all of the bytes, or if they are damaged.
  fileprivate func read<Value>(_ program: RuleProgram, _ body: (inout PartialReader) -> Value) -> Value? {
    withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return nil }
      var reader = PartialReader(ByteView(base, count: buffer.count), program)
      let value = body(&reader)
      return reader.hasFailed || !reader.isAtEnd ? nil : value
    }
  }
}

extension WaitingLog.Place {
  fileprivate var isSmall: Bool { [offset, line, column].allSatisfy { 0...PartialReader.largest ~= $0 } }
}
