import BackupFormats
import ByteStreams
import JSONEvents
import RuleDrafts
import Rules

/// A document that is small enough to be validated thousands of times: a small document as it is; of a larger one, some records of each
/// collection, and those that they refer to. The totals that it declares are those of the sample.
///
///     500 MB  ─▶  25 records of each collection  ─▶  + the records that they refer to  ─▶  right totals  ─▶  60 kB
///
/// Collections are the arrays that are in no other array, and objects that hold records by their ids.
struct DocumentSample: Sendable {
  /// The text is that of `JSONValue.text`: a value's text is at its position.
  let root: JSONValue.Located
  let text: [UInt8]
  let container: BackupFormat.Container
  /// True if it lacks records of the document.
  let isPart: Bool

  fileprivate init(_ root: JSONValue.Located, _ container: BackupFormat.Container, isPart: Bool) throws(CofferError) {
    text = Array(root.text.utf8)
    self.root = try JSONValue.read(MemorySource(text))
    self.container = container
    self.isPart = isPart
  }

  var opened: OpenedDocument { OpenedDocument(MemorySource(text), named: "sample.json", in: container) }
}

/// Takes samples of documents.
///
/// Cost: one pass over a document, and one more for each level of references, at most four. Memory: 8 MiB, and that of a record.
struct DocumentSampler {
  /// The rules that say what records refer to.
  let rules: [RuleDocument]
  /// Those that say which totals are right.
  let validators: [Validator]
  let observation: DocumentObservation
  let seed: UInt64
  let options: PassOptions

  private static let passLimit = 4
  private static let keyLimit = 2000

  func sample(of backup: OpenedBackup, syntax: JSONSyntax?) throws -> DocumentSample {
    var wanted = WantedKeys()
    var sample = try read(backup, syntax, wanted)
    for _ in 1..<Self.passLimit where sample.isPart {
      let missing = missingKeys(in: sample.root)
      let count = wanted.count
      wanted.add(missing, limit: Self.keyLimit)
      if wanted.count == count { break }
      sample = try read(backup, syntax, wanted)
    }
    return sample.isPart ? try withRightTotals(sample) : sample
  }

  private func read(_ backup: OpenedBackup, _ syntax: JSONSyntax?, _ wanted: WantedKeys) throws -> DocumentSample {
    let document = try backup.document()
    var options = options
    options.syntax = document.syntax(syntax)
    options.execution.jobs = 1
    do {
      var pass = DocumentPass(document.source, for: SampleConsumer(observation, wanted, seed: seed), options: options)
      try pass.run()
      return try DocumentSample(pass.consumer.document(), backup.container, isPart: pass.consumer.isPruned)
    } catch let error as CofferError {
      throw error.inDocument(backup.name)
    }
  }

  // MARK: References

  private func missingKeys(in root: JSONValue.Located) -> WantedKeys {
    var missing = WantedKeys()
    for member in root.object ?? [] {
      for document in rules {
        for key in document.references(ofCollection: member.key).map(\.key) {
          guard let field = key.fields.first, key.fields.allSatisfy({ !$0.contains("*") }) else { continue }
          for target in key.targets {
            guard case .root(let place) = target.resource, !place.contains("*"), let holder = root.value(at: place) else {
              continue
            }
            let name = target.fields.first ?? []
            if name.count > 1 { continue }
            let names = holder.children.compactMap(\.name).map { JSONValue.keyText($0, isNumber: false) }
            let known = Set(holder.children.compactMap { ($0.value.value(at: name) ?? $0.value).keyText } + names)
            member.value.forEach { value in
              guard let text = value.value(at: field)?.keyText, !known.contains(text) else { return }
              missing.insert(text, of: name.first ?? "", in: place.pointer)
            }
          }
        }
      }
    }
    return missing
  }

  // MARK: Totals

  private func withRightTotals(_ sample: DocumentSample) throws -> DocumentSample {
    var sample = sample
    for validator in validators {
      let totals = try validator.validate(sample.opened).rightTotals
      var root = sample.root
      for (offset, right) in totals.sorted(by: { $0.key < $1.key }) {
        guard let place = sample.root.path(ofValueAt: offset), let value = sample.root.value(at: place) else { continue }
        root = root.setting(JSONValue.Located(value.string == nil ? .number(right) : .string(right)), at: place)
      }
      sample = try DocumentSample(root, sample.container, isPart: true)
    }
    return sample
  }
}

/// Keys that a sample lacks: by the pointers of collections and the names of fields, which are empty if the items or their names are keys.
struct WantedKeys: Sendable {
  private(set) var keys: [String: [String: Set<String>]] = [:]

  var count: Int { keys.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } } }

  mutating func insert(_ key: String, of field: String, in collection: String) {
    keys[collection, default: [:]][field, default: []].insert(key)
  }

  mutating func add(_ other: WantedKeys, limit: Int) {
    var room = limit - count
    for (collection, fields) in other.keys.sorted(by: { $0.key < $1.key }) {
      for (field, texts) in fields.sorted(by: { $0.key < $1.key }) {
        for text in texts.sorted() where room > 0 {
          insert(text, of: field, in: collection)
          room -= 1
        }
      }
    }
  }
}

/// Keeps all records as long as they are few, and then those of each collection with the smallest random numbers, and those with wanted keys.
private struct SampleConsumer: DocumentConsumer, ~Copyable {
  private static let wholeSize = 64 << 10
  private static let recordCount = 25
  /// Beyond this, fewer records stay.
  private static let sizeLimit = 1 << 20
  /// Samples are walked by recursive functions.
  private static let depthLimit = 500

  private struct Record {
    let number: UInt64
    let index: Int
    let name: String?
    let text: [UInt8]
    let isWanted: Bool
  }

  private struct Collection {
    let place: String
    let isObject: Bool
    var records: [Record] = []
    /// The number of the next record.
    var count = 0
  }

  private indirect enum Node {
    case value(JSONValue)
    case object([(String, Node)])
    case collection(Int)
  }

  private struct OpenObject {
    let place: String
    var members: [(String, Node)] = []
    var name = ""
  }

  /// The record that is being read.
  private struct OpenRecord {
    let number: UInt64
    var depth = 0
    /// True if it may stay, so that its text is kept.
    var isWritten = false
    var isWanted = false
    /// The wanted keys of the member whose value follows.
    var keys: Set<String>?
  }

  private let observation: DocumentObservation
  private let wanted: WantedKeys
  private let seed: UInt64
  private var objects: [OpenObject] = []
  private var collections: [Collection] = []
  private var current: Int?
  private var name = ""
  private var record: OpenRecord?
  private var text = PlainFormatter(layout: .compact, at: .start)
  private var root: Node?
  private var size = 0
  private(set) var isPruned = false

  init(_ observation: DocumentObservation, _ wanted: WantedKeys, seed: UInt64) {
    (self.observation, self.wanted, self.seed) = (observation, wanted, seed)
  }

  // The document is read in order.
  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> (Slice, Void) -> Void?)? { nil }
  mutating func merge(_ partial: Void, of slice: Slice) {}

  mutating func consume(_ batch: EventBatch, lines: LineCursor) throws {
    for index in 0..<batch.count {
      if let current {
        try consume(index, of: batch, in: current)
      } else {
        try consume(batch[index], batch.text(of: batch[index]))
      }
    }
  }

  // MARK: The envelope

  private mutating func consume(_ event: Event, _ text: ByteView) throws(CofferError) {
    switch event.kind {
    case .key: objects[objects.count - 1].name = text.string
    case .null: add(.value(.null))
    case .false: add(.value(.boolean(false)))
    case .true: add(.value(.boolean(true)))
    case .number: add(.value(.number(text.string)))
    case .string: add(.value(.string(text.string)))
    case .objectStart where !observation.isMap(at: place):
      try checkDepth(objects.count)
      objects.append(OpenObject(place: place))
    case .arrayStart, .objectStart:
      collections.append(Collection(place: place, isObject: event.kind == .objectStart))
      current = collections.count - 1
    case .objectEnd: add(.object(objects.removeLast().members))
    case .arrayEnd: break
    }
  }

  private func checkDepth(_ depth: Int) throws(CofferError) {
    if depth > Self.depthLimit {
      throw CofferError(
        .other, "values nested more than \(Self.depthLimit) levels deep can't be tested", at: .init(pointer: place))
    }
  }

  /// The place of the next value.
  private var place: String { objects.last.map { "\($0.place)/\($0.name.pointerToken)" } ?? "" }

  private mutating func add(_ node: Node) {
    if objects.isEmpty { root = node } else { objects[objects.count - 1].members.append((objects[objects.count - 1].name, node)) }
  }

  // MARK: Records

  private mutating func consume(_ index: Int, of batch: EventBatch, in number: Int) throws {
    let event = batch[index]
    if record == nil {
      switch event.kind {
      case .key: return name = batch.text(of: event).string
      case .arrayEnd, .objectEnd:
        current = nil
        return add(.collection(number))
      default: begin(number)
      }
    }
    guard var open = record.take() else { return }
    switch event.kind {
    case .objectStart, .arrayStart:
      open.depth += 1
      try checkDepth(objects.count + open.depth)
    case .objectEnd, .arrayEnd: open.depth -= 1
    case .key: if open.depth == 1 { open.keys = wanted.keys[collections[number].place]?[batch.text(of: event).string] }
    case .null, .false, .true: open.keys = nil
    case .number, .string:
      let keys = open.depth == 0 ? wanted.keys[collections[number].place]?[""] : open.depth == 1 ? open.keys : nil
      if let keys, keys.contains(JSONValue.keyText(batch.text(of: event).string, isNumber: event.kind == .number)) {
        open.isWanted = true
      }
      open.keys = nil
    }
    if open.isWritten { text.write(batch, index..<index + 1) }
    if open.depth > 0 { record = open } else { end(open, number) }
  }

  private mutating func begin(_ number: Int) {
    let collection = collections[number]
    let random = SeededNumber.mix(seed, collection.place, collection.count)
    var open = OpenRecord(number: random)
    let keys = wanted.keys[collection.place]
    open.isWanted = collection.isObject && keys?[""]?.contains(JSONValue.keyText(name, isNumber: false)) == true
    let isAmongFirst =
      collection.records.count < Self.recordCount || collection.records.contains { !$0.isWanted && $0.number > random }
    open.isWritten = !isPruned || keys != nil || isAmongFirst
    if open.isWritten { text = PlainFormatter(layout: .compact, at: .start) }
    record = open
  }

  private mutating func end(_ open: OpenRecord, _ number: Int) {
    defer { collections[number].count += 1 }
    if !open.isWritten { return }
    let text = text.bytes
    let isObject = collections[number].isObject
    collections[number].records.append(
      Record(
        number: open.number, index: collections[number].count, name: isObject ? name : nil, text: text, isWanted: open.isWanted))
    size += text.count
    if isPruned {
      Self.prune(&collections[number], to: Self.recordCount)
    } else if size > Self.wholeSize {
      isPruned = true
      for number in collections.indices { Self.prune(&collections[number], to: Self.recordCount) }
    }
  }

  private static func prune(_ collection: inout Collection, to count: Int) {
    let chosen = collection.records.filter { !$0.isWanted }.map(\.number).sorted()
    if chosen.count > count { collection.records.removeAll { !$0.isWanted && $0.number >= chosen[count] } }
  }

  // MARK: The document

  func document() throws(CofferError) -> JSONValue.Located {
    var (collections, count) = (collections, Self.recordCount)
    while isPruned, count > 3, collections.reduce(0, { $0 + $1.records.reduce(0) { $0 + $1.text.count } }) > Self.sizeLimit {
      count /= 2
      for number in collections.indices { Self.prune(&collections[number], to: count) }
    }
    guard let root else { preconditionFailure("a complete document has a value") }
    return try Self.located(root, collections)
  }

  private static func located(_ node: Node, _ collections: [Collection]) throws(CofferError) -> JSONValue.Located {
    switch node {
    case .value(let value): return JSONValue.Located(value)
    case .object(let members):
      return try .members(members.map { member throws(CofferError) in (member.0, try located(member.1, collections)) })
    case .collection(let number):
      let records = try collections[number].records.map { record throws(CofferError) in
        (record.name ?? "", try JSONValue.read(MemorySource(record.text)))
      }
      return collections[number].isObject ? .members(records) : JSONValue.Located(.array(records.map(\.1)))
    }
  }
}

/// Numbers that look random and depend on a seed alone, so that a run can be repeated on any machine.
enum SeededNumber {
  static func mix(_ seed: UInt64, _ text: String, _ number: Int) -> UInt64 {
    // FNV-1a.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ seed
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return ((hash ^ UInt64(truncatingIfNeeded: number)) &* 0x9E37_79B9_7F4A_7C15).scattered
  }
}

extension JSONValue.Located {
  /// The values in it; those of an object with their names.
  var children: [(name: String?, value: JSONValue.Located)] {
    object?.map { ($0.key, $0.value) } ?? array?.map { (nil, $0) } ?? []
  }

  /// The value as a key, or `nil` if it can't be one.
  fileprivate var keyText: String? {
    switch value {
    case .number(let text): JSONValue.keyText(text, isNumber: true)
    case .string(let text): JSONValue.keyText(text, isNumber: false)
    case .null, .boolean, .array, .object: nil
    }
  }

  fileprivate func forEach(_ body: (JSONValue.Located) -> Void) {
    body(self)
    for child in children { child.value.forEach(body) }
  }

  /// Returns where the value with this position is.
  fileprivate func path(ofValueAt offset: Int) -> [String]? {
    if position.offset == offset { return [] }
    for (index, child) in children.enumerated().reversed() where child.value.position.offset <= offset {
      return child.value.path(ofValueAt: offset).map { [child.name ?? String(index)] + $0 }
    }
    return nil
  }
}

extension JSONValue {
  fileprivate static func keyText(_ text: String, isNumber: Bool) -> String { isNumber ? text : "\"" + text }
}
