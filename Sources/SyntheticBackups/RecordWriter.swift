import ByteStreams
import JSONEvents
import Rules

/// Writes records of one collection, on a thread of its own.
struct RecordWriter: ~Copyable {
  private let collection: Int
  private let drawer: Drawer
  private let layout: JSONEventWriter.Layout
  /// Values that depend on each other are drawn up to 512 levels deep.
  static let stackSize = 8 << 20
  /// The text of one scalar.
  private var scalar = ByteBuffer(capacity: 64)

  /// Neighbouring records, as they are in the document.
  struct Chunk: Sendable {
    /// Of a map, without the first record's name.
    fileprivate(set) var text: [UInt8] = []
    fileprivate(set) var firstName = ""
    fileprivate(set) var planted: [(variant: Int, record: String, entry: LedgerEntry)] = []
    /// The records whose files are omitted.
    fileprivate(set) var omitted: [Int] = []
    fileprivate(set) var circle: String?
  }

  init(of collection: Int, _ plan: Plan, _ population: Population, layout: JSONEventWriter.Layout) {
    self.collection = collection
    self.layout = layout
    drawer = Drawer(plan: plan.copied(), population: population)
  }

  mutating func chunk(_ indices: Range<Int>) -> Chunk {
    var chunk = Chunk()
    var sink = MemorySink()
    do throws(CofferError) {
      try write(indices, to: &sink, noting: &chunk)
    } catch {
      preconditionFailure("memory failed: \(error)")
    }
    chunk.text = sink.bytes
    chunk.circle = drawer.circle
    return chunk
  }

  /// Returns the size of all records in bytes, extrapolated from at most `sample` evenly spaced ones.
  mutating func size(sample: Int) -> Double {
    let count = drawer.population.counts[collection]
    let written = min(sample, count)
    guard written > 0 else { return 0 }
    var chunk = Chunk()
    var sink = CountingSink()
    do throws(CofferError) {
      try write((0..<written).lazy.map { written == count ? $0 : $0 * count / written }, to: &sink, noting: &chunk)
    } catch {
      preconditionFailure("a counting sink failed: \(error)")
    }
    let bytes = Double(sink.count)
    return written == count ? bytes : (bytes * Double(count) / Double(written)).rounded()
  }

  /// Writes records as items of an array, or members of an object, as deep as the collection.
  private mutating func write(
    _ indices: some Sequence<Int>, to sink: inout some ByteSink, noting chunk: inout Chunk
  ) throws(CofferError) {
    var json = JSONEventWriter(layout: layout, slashes: drawer.plan.escapesSlashes ? .escaped : .plain)
    for _ in 0..<drawer.plan.collections[collection].tokens.count { json.beginArray() }
    if isMap { json.beginObject() } else { json.beginArray() }
    var start = CountingSink()
    try json.flush(to: &start)
    var isFirst = true
    for index in indices {
      let defect = drawer.population.defect(at: index, of: collection).map { ($0, drawer.planted($0, at: index, of: collection)) }
      let record = drawer.record(at: index, of: collection)
      let name = isMap ? name(of: record) : nil
      if let name { json.key(name) }
      if isFirst {
        chunk.firstName = name ?? ""
        try json.flush(to: &start)
      }
      isFirst = false
      if let (variant, planted) = defect {
        write(planted, of: variant, at: index, named: name ?? String(index), to: &json, noting: &chunk)
      } else {
        write(.object(record), to: &json)
      }
      try json.drain(to: &sink)
    }
    try json.flush(to: &sink)
  }

  private mutating func write(_ drawn: Drawn, to json: inout JSONEventWriter) {
    switch drawn {
    case .json(let value): json.write(value)
    case .array(let items):
      json.beginArray()
      for item in items { write(item, to: &json) }
      json.endArray()
    case .object(let scope):
      json.beginObject()
      let members = scope.branch?.members ?? []
      for index in members.indices where !isMap || members[index].name != Schema.recordName {
        guard let value = drawer.draw(members[index], in: scope) else { continue }
        json.key(members[index].name)
        write(value, to: &json)
      }
      json.endObject()
    case .number, .time, .uuid:
      scalar.removeAll()
      let isString = drawn.append(to: &scalar)
      let text = scalar.bytes.bindMemory(to: UInt8.self).span
      if isString { json.string(utf8: text) } else { json.number(utf8: text) }
    }
  }

  private var isMap: Bool { drawer.plan.collections[collection].isMap }

  /// Returns the name of a record in a map.
  private func name(of record: Drawer.Scope) -> String {
    guard case .string(let name)? = drawer.value(at: [Schema.recordName], in: record) else { return String(record.index) }
    return name
  }

  /// Writes a record with a defect.
  private func write(
    _ planted: (value: JSONValue, isPlanted: Bool), of number: Int, at index: Int, named name: String,
    to json: inout JSONEventWriter, noting chunk: inout Chunk
  ) {
    let variant = drawer.population.allocation.variants[number]
    var value = planted.value
    // A name is no value that could carry a defect.
    let isOfName = isMap && variant.path.first == Schema.recordName
    if isMap { _ = value.set(nil, at: [Schema.recordName], isSorted: false) }
    json.write(value)
    guard planted.isPlanted, !isOfName else { return }
    let isOmitted = if case .omit = variant.change { true } else { false }
    for file in drawer.plan.files where file.collection == collection {
      // The file of a record that no longer names it would be an extra file.
      if case .string? = value.value(at: [file.field]), !isOmitted { continue }
      chunk.omitted.append(index)
    }
    let record = drawer.plan.collections[collection].tokens + [name]
    let entry = LedgerEntry(
      code: variant.code, pointer: (record + variant.pointers[0]).pointer,
      value: value.value(at: variant.pointers[0])?.ledgerText)
    chunk.planted.append((number, record.pointer, entry))
  }
}
