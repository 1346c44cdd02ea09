import ByteStreams
import Digests
import JSONEvents
import Pipelines
import Rules

/// Writes a document: the envelope member by member, collections record by record.
struct DocumentWriter: ~Copyable {
  let drawer: Drawer
  private var json: JSONEventWriter
  private let layout: JSONEventWriter.Layout
  private let jobs: Int
  /// The pointer of a value that depended on itself, if there was one: the output is then invalid.
  private(set) var circle: String?
  /// The records whose files are omitted, by collection: by a defect, or because the record no longer names one.
  private var omitted: [Int: Set<Int>] = [:]

  /// Receives a planted defect: the index of its variant, the pointer of its record and the expected finding.
  typealias Note = (_ variant: Int, _ record: String, _ entry: LedgerEntry) throws(CofferError) -> Void

  /// - Parameter jobs: The number of threads that write records.
  init(_ plan: Plan, _ population: Population, layout: JSONEventWriter.Layout, jobs: Int = 1) {
    drawer = Drawer(plan: plan, population: population)
    json = JSONEventWriter(layout: layout, slashes: plan.escapesSlashes ? .escaped : .plain)
    self.layout = layout
    self.jobs = jobs
  }

  private var plan: Plan { drawer.plan }
  private var allocation: DefectAllocation { drawer.population.allocation }
  var byteCount: Int { json.byteCount }

  mutating func write(to sink: inout some ByteSink, note: Note) throws(CofferError) {
    switch (plan.root, drawer.root) {
    case (.collection(let number), _): try writeRecords(of: number, &sink, note)
    case (.object, let root?) where plan.root.holdsRecords: try writeEnvelope([], in: root, &sink, note)
    case (.object, let root?): json.write(try withDefect(drawer.value(.object(root)), at: [], note) ?? .null)
    default:
      let scope = Drawer.Scope(in: nil, state: drawer.population.seed, index: 0, of: 1, attempt: 0)
      json.write(try withDefect(drawer.value(drawer.draw(plan.root, in: scope, scope.state)), at: [], note) ?? .null)
    }
    try json.finish(to: &sink)
    circle = circle ?? drawer.circle
  }

  // MARK: The envelope

  private mutating func writeEnvelope(
    _ path: [String], in scope: Drawer.Scope, _ sink: inout some ByteSink, _ note: Note
  ) throws(CofferError) {
    let members = scope.branch?.members ?? []
    json.beginObject()
    for member in members {
      let place = path + [member.name]
      if case .collection(let number) = member.recipe {
        json.key(member.name)
        try writeRecords(of: number, &sink, note)
      } else if member.holdsRecords, let inner = scope.inner(member.name) {
        json.key(member.name)
        try writeEnvelope(place, in: inner, &sink, note)
      } else if let drawn = drawer.draw(member, in: scope),
        let value = try withDefect(drawer.value(drawn), at: place, note)
      {
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

  /// Writes the records in chunks of about 128 KiB, on several threads.
  private mutating func writeRecords(of collection: Int, _ sink: inout some ByteSink, _ note: Note) throws(CofferError) {
    let count = drawer.population.counts[collection]
    var end = 0
    var length = 16
    let isMap = plan.collections[collection].isMap
    if isMap { json.beginObject() } else { json.beginArray() }
    do {
      _ = try OrderedPipeline(jobs: count > length ? jobs : 1, stackSize: RecordWriter.stackSize).run(
        next: {
          let start = end
          end = min(count, start + length)
          return start < end ? start..<end : nil
        },
        makeWorker: { [plan, population = drawer.population, layout] in
          var writer = RecordWriter(of: collection, plan, population, layout: layout)
          return { writer.chunk($0) }
        },
        merge: { indices, chunk in
          if isMap { json.key(chunk.firstName) }
          json.items(chunk.text)
          try json.drain(to: &sink)
          for planted in chunk.planted { try note(planted.variant, planted.record, planted.entry) }
          omitted[collection, default: []].formUnion(chunk.omitted)
          circle = circle ?? chunk.circle
          length = max(1, min(4096, indices.count * (128 << 10) / chunk.text.count))
          return .more
        })
    } catch let error as CofferError {
      throw error
    } catch {
      preconditionFailure("only the sink and the ledger can fail: \(error)")
    }
    if isMap { json.endObject() } else { json.endArray() }
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
