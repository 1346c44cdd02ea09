import ByteStreams
import Digests
import JSONEvents
import Rules

/// Writes a document: the envelope member by member, collections record by record.
struct DocumentWriter: ~Copyable {
  let drawer: Drawer
  private var json: JSONEventWriter
  private let isReversed: Bool
  /// The records whose files are omitted, by collection: by a defect, or because the record no longer names one.
  private var omitted: [Int: Set<Int>] = [:]

  /// Receives a planted defect: the index of its variant, the pointer of its record and the expected finding.
  typealias Note = (_ variant: Int, _ record: String, _ entry: LedgerEntry) throws(CofferError) -> Void

  init(_ plan: Plan, _ population: Population, layout: JSONEventWriter.Layout, isReversed: Bool = false) {
    drawer = Drawer(plan: plan, population: population)
    json = JSONEventWriter(layout: layout, slashes: plan.escapesSlashes ? .escaped : .plain)
    self.isReversed = isReversed
  }

  private var plan: Plan { drawer.plan }
  private var allocation: DefectAllocation { drawer.population.allocation }
  var byteCount: Int { json.byteCount }

  mutating func write(to sink: inout some ByteSink, note: Note) throws(CofferError) {
    switch (plan.root, drawer.root) {
    case (.collection(let number), _): try writeRecords(of: number, &sink, note)
    case (.object, let root?) where plan.root.holdsRecords: try writeEnvelope([], in: root, &sink, note)
    case (.object, let root?): json.write(try withDefect(drawer.object(in: root), at: [], note) ?? .null)
    default:
      let scope = Drawer.Scope(in: nil, state: drawer.population.seed, index: 0, of: 1, attempt: 0)
      json.write(try withDefect(drawer.value(of: plan.root, in: scope, scope.state), at: [], note) ?? .null)
    }
    try json.finish(to: &sink)
  }

  // MARK: The envelope

  private mutating func writeEnvelope(
    _ path: [String], in scope: Drawer.Scope, _ sink: inout some ByteSink, _ note: Note
  ) throws(CofferError) {
    let members = scope.branch?.members ?? []
    json.beginObject()
    for member in isReversed && path.isEmpty ? members.reversed() : members {
      let place = path + [member.name]
      if case .collection(let number) = member.recipe {
        json.key(member.name)
        try writeRecords(of: number, &sink, note)
      } else if member.holdsRecords, let inner = drawer.inner(member.name, of: scope) {
        json.key(member.name)
        try writeEnvelope(place, in: inner, &sink, note)
      } else if let value = drawer.value(of: member, in: scope), let value = try withDefect(value, at: place, note) {
        json.key(member.name)
        json.write(value)
      }
      try json.drain(to: &sink)
    }
    // Members that the rules don't know.
    for (number, variant) in allocation.variants.enumerated() where allocation.tallies[number] > 0 {
      guard case .envelope(let site) = variant.site, site.dropLast() == path[...], let name = site.last,
        !members.contains(where: { $0.name == name }), case .replace(let values) = variant.change
      else { continue }
      let value = values[variant.options[0].choice]
      json.key(name)
      json.write(value)
      try note(number, site.pointer, LedgerEntry(code: variant.code, pointer: site.pointer, value: value.ledgerText))
    }
    json.endObject()
  }

  /// Plants a defect in a value of the envelope, if it should carry one.
  ///
  /// - Returns: The value, or `nil` if it is removed.
  private func withDefect(_ value: JSONValue, at site: [String], _ note: Note) throws(CofferError) -> JSONValue? {
    for (number, variant) in allocation.variants.enumerated()
    where allocation.tallies[number] > 0 && variant.site == .envelope(site) {
      var changed = value
      let isRemoved = if case .remove = variant.change { variant.path.isEmpty } else { false }
      guard isRemoved || drawer.plant(variant, in: &changed) else { continue }
      let entry = LedgerEntry(
        code: variant.code, pointer: (site + variant.pointers[0]).pointer,
        value: isRemoved ? nil : changed.value(at: variant.pointers[0])?.ledgerText)
      try note(number, site.pointer, entry)
      return isRemoved ? nil : changed
    }
    return value
  }

  // MARK: Collections

  private mutating func writeRecords(of collection: Int, _ sink: inout some ByteSink, _ note: Note) throws(CofferError) {
    json.beginArray()
    for index in 0..<drawer.population.counts[collection] {
      if let number = drawer.population.defect(at: index, of: collection) {
        try write(number, at: index, of: collection, note)
      } else {
        json.write(drawer.object(in: drawer.record(at: index, of: collection)))
      }
      try json.drain(to: &sink)
    }
    json.endArray()
  }

  private mutating func write(_ number: Int, at index: Int, of collection: Int, _ note: Note) throws(CofferError) {
    let variant = allocation.variants[number]
    let (value, isPlanted) = drawer.planted(number, at: index, of: collection)
    json.write(value)
    guard isPlanted else { return }
    let isOmitted = if case .omit = variant.change { true } else { false }
    for file in plan.files where file.collection == collection {
      // The file of a record that no longer names it would be an extra file.
      if case .string? = value.value(at: [file.field]), !isOmitted { continue }
      omitted[collection, default: []].insert(index)
    }
    let record = plan.collections[collection].tokens + [String(index)]
    let entry = LedgerEntry(
      code: variant.code, pointer: (record + variant.pointers[0]).pointer,
      value: value.value(at: variant.pointers[0])?.ledgerText)
    try note(number, record.pointer, entry)
  }

  // MARK: Samples

  /// Returns the size of a collection's records in bytes, extrapolated from at most `sample` evenly spaced ones.
  static func size(
    of collection: Int, _ plan: Plan, _ population: Population, layout: JSONEventWriter.Layout, sample: Int
  ) throws(CofferError) -> Double {
    var writer = DocumentWriter(plan, population, layout: layout)
    let count = population.counts[collection]
    let written = min(sample, count)
    guard written > 0 else { return 0 }
    var sink = CountingSink()
    // As deep in the document as the collection is.
    for _ in 0...plan.collections[collection].tokens.count { writer.json.beginArray() }
    let start = writer.byteCount
    for place in 0..<written {
      let record = writer.drawer.record(at: written == count ? place : place * count / written, of: collection)
      writer.json.write(writer.drawer.object(in: record))
      try writer.json.drain(to: &sink)
    }
    let bytes = Double(writer.byteCount - start)
    return written == count ? bytes : (bytes * Double(count) / Double(written)).rounded()
  }
}

// MARK: Files and other documents of an archive

extension DocumentWriter {
  /// Calls `body` for each file that isn't omitted, in the order of the records that name them.
  func forEachFile<Failure: Error>(_ body: (String, [UInt8]) throws(Failure) -> Void) throws(Failure) {
    for (number, file) in plan.files.enumerated() {
      for index in 0..<drawer.population.counts[file.collection] {
        if omitted[file.collection]?.contains(index) == true { continue }
        let record = drawer.record(at: index, of: file.collection)
        guard case .string(let name)? = drawer.value(at: [file.field], in: record) else { continue }
        try body(file.entry.prefix + name, drawer.file(number, ofRecord: index))
      }
    }
  }

  /// Returns the sizes and digests that a validator finds for the files, or `nil` if the document is not part of an archive.
  func facts() -> [String: EntryFacts]? {
    guard !plan.files.isEmpty else { return nil }
    var facts: [String: EntryFacts] = [:]
    let algorithms = Set(plan.files.filter { $0.entry.digest != nil }.map(\.entry.algorithm))
    forEachFile { name, bytes in
      let digests = algorithms.map { ($0, MessageDigest.text(of: bytes, by: $0)) }
      facts[name] = EntryFacts(size: Int64(bytes.count), digests: Dictionary(uniqueKeysWithValues: digests))
    }
    return facts
  }
}
