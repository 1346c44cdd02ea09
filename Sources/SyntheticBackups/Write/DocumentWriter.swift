import ByteStreams
import JSONEvents
import Rules

/// Writes a document: the envelope member by member, collections record by record.
struct DocumentWriter: ~Copyable {
  var records: RecordWriter
  /// Omitted files.
  var omitted: Set<FilePlace> = []
  private var allocation: DefectAllocation { records.allocation }
  private let isReversed: Bool
  private var drained = 0
  /// Smaller chunks cost more system calls, larger ones only memory.
  private static let pieceSize = 64 << 10

  /// Receives a planted defect: the index of its variant, the pointer of its record and the expected finding.
  typealias Note = (_ variant: Int, _ record: String, _ entry: LedgerEntry) throws(CofferError) -> Void

  init(plan: Plan, population: Population, layout: TreeLayout, allocation: DefectAllocation = .none, isReversed: Bool = false) {
    records = RecordWriter(plan: plan, population: population, layout: layout, allocation: allocation)
    self.isReversed = isReversed
  }

  var byteCount: Int { drained + records.buffer.count }

  mutating func write(to sink: inout some ByteSink, note: Note) throws(CofferError) {
    let plan = records.plan
    switch plan.generators[Int(plan.root)] {
    case .object(let root) where plan.objects[Int(root)].holdsCollections: try writeEnvelope([], &sink, note)
    case .array(let array) where plan.arrays[Int(array)].collection >= 0:
      try writeCollection(Int(plan.arrays[Int(array)].collection), &sink, note)
    default:
      let start = records.buffer.count
      records.writeRootValue()
      _ = try plant(at: [], from: start, depth: 0, note)
    }
    if records.layout.indent != nil { records.buffer.append(UInt8(ascii: "\n")) }
    try flush(to: &sink)
  }

  private mutating func drain(to sink: inout some ByteSink) throws(CofferError) {
    if records.buffer.count >= Self.pieceSize { try flush(to: &sink) }
  }

  private mutating func flush(to sink: inout some ByteSink) throws(CofferError) {
    try sink.write(records.buffer.written)
    drained += records.buffer.count
    records.buffer.truncate(to: 0)
  }

  // MARK: The envelope

  /// Writes the entered object.
  private mutating func writeEnvelope(_ path: [String], _ sink: inout some ByteSink, _ note: Note) throws(CofferError) {
    let plan = records.plan
    let members = Array(plan.branches[Int(records.innermost.branch)].members)
    var isFirst = true
    records.buffer.append(UInt8(ascii: "{"))
    for number in isReversed && path.isEmpty ? members.reversed() : members {
      let member = plan.members[Int(number)]
      let inner = path + [plan.names[Int(member.name)]]
      let keyStart = records.buffer.count
      if records.presence(of: member) == .absent { continue }
      records.writeKey(Int(number), isFirst: isFirst)
      switch plan.generators[Int(member.generator)] {
      case .array(let array) where plan.arrays[Int(array)].collection >= 0:
        try writeCollection(Int(plan.arrays[Int(array)].collection), &sink, note)
        // Records were entered from the root.
        records.leave()
        for name in path { records.enterMember(named: name) }
      case .object(let object) where plan.objects[Int(object)].holdsCollections:
        records.enterMember(named: plan.names[Int(member.name)])
        try writeEnvelope(inner, &sink, note)
        records.leaveMember()
      default:
        let start = records.buffer.count
        records.writeValue(of: member)
        if try !plant(at: inner, from: start, depth: inner.count, note) {
          records.buffer.truncate(to: keyStart)
          continue
        }
      }
      isFirst = false
      try drain(to: &sink)
    }
    for (number, variant) in allocation.variants.enumerated() where allocation.tallies[number] > 0 {
      guard case .envelope(let site) = variant.site, site.dropLast() == path[...], site.count == path.count + 1,
        !members.contains(where: { plan.names[Int(plan.members[Int($0)].name)] == site.last }),
        case .replace(let values) = variant.change,
        let name = site.last
      else { continue }
      var text: [UInt8] = isFirst ? [] : [UInt8(ascii: ",")]
      isFirst = false
      records.layout.breakLine(&text, path.count + 1)
      records.layout.append(name, to: &text)
      text += (records.layout.indent == nil ? ":" : ": ").utf8
      let value = values[variant.options[0].choice]
      value.append(to: &text, records.layout, depth: path.count + 1)
      records.buffer.append(text)
      let pointer = Self.pointer(site)
      try note(number, pointer, LedgerEntry(code: variant.code, pointer: pointer, value: value.ledgerText))
    }
    if !isFirst { records.writeLineBreak(path.count) }
    records.buffer.append(UInt8(ascii: "}"))
  }

  /// Plants a defect in the value just written, if it should carry one.
  ///
  /// - Returns: False if the value was removed.
  private mutating func plant(at site: [String], from start: Int, depth: Int, _ note: Note) throws(CofferError) -> Bool {
    for (number, variant) in allocation.variants.enumerated()
    where allocation.tallies[number] > 0 && variant.site == .envelope(site) {
      var tree = JSONTree(parsing: records.buffer.bytes(from: start))
      let frames = site.count
      var random = RandomSource(state: RandomSource.mixed(records.population.seed &+ UInt64(variant.order)))
      let option = variant.options[random.below(variant.options.count)]
      if variant.path.isEmpty, case .remove = variant.change {
        try note(number, Self.pointer(site), LedgerEntry(code: variant.code, pointer: Self.pointer(site), value: nil))
        return false
      }
      let planted = records.plant(variant, choice: option.choice, in: &tree, at: nil, from: &random)
      records.leave()
      for name in site.prefix(frames).dropLast() { records.enterMember(named: name) }
      guard planted != nil else { continue }
      var text: [UInt8] = []
      tree.append(to: &text, records.layout, depth: depth)
      records.buffer.truncate(to: start)
      records.buffer.append(text)
      let pointer = Self.pointer(site + variant.pointers[0])
      try note(
        number, Self.pointer(site),
        LedgerEntry(code: variant.code, pointer: pointer, value: tree.value(at: variant.pointers[0])?.ledgerText))
      return true
    }
    return true
  }

  static func pointer(_ tokens: [String]) -> String { tokens.map { "/" + $0.pointerToken }.joined() }

  // MARK: Collections

  private mutating func writeCollection(_ collection: Int, _ sink: inout some ByteSink, _ note: Note) throws(CofferError) {
    let plan = records.plan
    let count = records.population.counts[collection]
    let depth = Int(plan.arrays[Int(plan.collections[collection].array)].depth)
    var schedule = DefectSchedule(.collection(collection), spacing: records.population.slots[collection], allocation: allocation)
    records.buffer.append(UInt8(ascii: "["))
    for index in 0..<count {
      if index > 0 { records.buffer.append(UInt8(ascii: ",")) }
      records.writeLineBreak(depth)
      if let number = schedule.defect(at: index) {
        try write(number, at: index, of: collection, depth: depth, note)
      } else {
        records.enter(collection, at: index)
        records.writeRecord()
      }
      try drain(to: &sink)
    }
    if count > 0 { records.writeLineBreak(depth - 1) }
    records.buffer.append(UInt8(ascii: "]"))
  }

  private mutating func write(_ number: Int, at index: Int, of collection: Int, depth: Int, _ note: Note) throws(CofferError) {
    let variant = allocation.variants[number]
    let (tree, isPlanted) = records.planted(number, at: index, of: collection)
    var text: [UInt8] = []
    tree.append(to: &text, records.layout, depth: depth)
    records.buffer.append(text)
    guard isPlanted else { return }
    noteFile(of: tree, variant, FilePlace(collection: collection, index: index))
    let record = records.plan.collections[collection].pointer + "/\(index)"
    let entry = LedgerEntry(
      code: variant.code, pointer: record + Self.pointer(variant.pointers[0]),
      value: tree.value(at: variant.pointers[0])?.ledgerText)
    try note(number, record, entry)
  }

  // MARK: Samples

  /// Returns the size of a collection's records in bytes, extrapolated from at most `sample` evenly spaced ones.
  mutating func measure(_ collection: Int, sample: Int) -> Double {
    let plan = records.plan
    let count = records.population.counts[collection]
    let depth = Int(plan.arrays[Int(plan.collections[collection].array)].depth)
    let written = min(sample, count)
    guard written > 0 else { return 0 }
    let start = records.buffer.count
    for place in 0..<written {
      let index = written == count ? place : place * count / written
      records.buffer.append(UInt8(ascii: ","))
      records.writeLineBreak(depth)
      records.enter(collection, at: index)
      records.writeRecord()
    }
    records.leave()
    defer { records.buffer.truncate(to: start) }
    let bytes = Double(records.buffer.count - start)
    return written == count ? bytes : (bytes * Double(count) / Double(written)).rounded()
  }
}

/// The record that a file belongs to.
struct FilePlace: Hashable {
  var collection: Int
  var index: Int
}

/// The files that belong to a document, with or without defects.
extension DocumentWriter {
  /// Calls `body` for each file that isn't omitted, in the order of the records that name them.
  mutating func forEachFile<Failure: Error>(_ body: (String, [UInt8]) throws(Failure) -> Void) throws(Failure) {
    for file in records.plan.files {
      for index in 0..<records.population.counts[file.collection] {
        if omitted.contains(FilePlace(collection: file.collection, index: index)) { continue }
        guard case .string(let name)? = records.record(at: index, of: file.collection).value(at: [file.field]) else { continue }
        try body(file.entry.prefix + name, records.bytes(ofFile: index, of: file))
      }
    }
  }

  /// Omits the file of a record that no longer names it: it would be an extra file otherwise.
  mutating func noteFile(of record: JSONTree, _ variant: DefectVariant, _ place: FilePlace) {
    if case .omit = variant.change { omitted.insert(place) }
    for file in records.plan.files where file.collection == place.collection {
      if case .string? = record.value(at: [file.field]) { continue }
      omitted.insert(place)
    }
  }

  /// Returns the sizes and digests that a validator finds for the files.
  mutating func facts() -> [String: EntryFacts] {
    var facts: [String: EntryFacts] = [:]
    let algorithms = Set(records.plan.files.filter { $0.entry.digest != nil }.map(\.entry.algorithm))
    let digest = records.plan.digest
    forEachFile { name, bytes in
      var digests: [DigestAlgorithm: String] = [:]
      for algorithm in algorithms { digests[algorithm] = digest?(algorithm, bytes) }
      facts[name] = EntryFacts(size: Int64(bytes.count), digests: digests)
    }
    return facts
  }
}

extension RecordWriter {
  func bytes(ofFile index: Int, of file: FilePlan) -> [UInt8] {
    SyntheticPhoto.bytes(seed: population.seed, stream: file.collection, index: index)
  }
}
