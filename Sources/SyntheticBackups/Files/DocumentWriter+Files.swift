import JSONEvents
import Rules

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

  /// Returns a side document whose values agree with this one.
  mutating func write(_ side: SyntheticSideDocument, _ layout: TreeLayout) -> [UInt8] {
    var tree = side.tree
    for (path, place) in side.agreements {
      switch place {
      case .value(let tokens):
        let value = records.envelopeValue(at: tokens)
        records.leave()
        _ = tree.set(value ?? .null, at: path, sorted: true)
      case .count(let tokens):
        let number = records.plan.collections.firstIndex { $0.tokens == tokens }
        _ = tree.set(.number(String(number.map { records.population.counts[$0] } ?? 0)), at: path, sorted: true)
      }
    }
    var text: [UInt8] = []
    tree.append(to: &text, layout, depth: 0)
    return text
  }
}

extension RecordWriter {
  func bytes(ofFile index: Int, of file: FilePlan) -> [UInt8] {
    SyntheticPhoto.bytes(seed: population.seed, stream: file.collection, index: index)
  }
}
