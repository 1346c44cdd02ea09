import BackupFormats
import JSONEvents
import Rules

/// The basis for comparing two documents: their format, its collections, versions and counts.
struct ComparisonFormat {
  /// The name in messages and reports, or `nil` if the format is unknown.
  let name: String?
  let format: BackupFormat?
  let rules: RuleDocument?
  let skeleton: Skeleton
  /// Keys that the values of both documents allow, if neither their format is known nor a key given, by JSON Pointer of the collection.
  let draftedKeys: [String: [[String]]]
  /// For each document, whether its start contradicts the detection criteria of the named format.
  private let isUnlikely: (old: Bool, new: Bool)

  /// - Throws: `CofferError` if the formats differ or are ambiguous, or if there is no such collection.
  init(of inputs: (old: ComparedInput, new: ComparedInput), rules: RuleSource, _ options: ComparisonOptions) throws {
    switch rules {
    case .format(let format):
      (name, self.format, self.rules) = (format.name, format, format.rules)
      for input in [inputs.old, inputs.new] { _ = try input.identify(rules: rules) }
      isUnlikely = (try Self.isUnlikely(inputs.old, format), try Self.isUnlikely(inputs.new, format))
    case .document(let document, let name):
      (self.name, format, self.rules) = (name, nil, document)
      isUnlikely = (false, false)
    case .detected:
      format = try Self.detected(inputs, rules: rules)
      (name, self.rules) = (format?.name, format?.rules)
      isUnlikely = (false, false)
    }
    draftedKeys = self.rules == nil && options.keys.isEmpty ? try Self.draftedKeys(for: inputs, options) : [:]
    let collections = try Self.collections(format, self.rules, keys: options.keys.isEmpty ? draftedKeys : options.keys)
    var skeleton = Skeleton(collections)
    if let only = options.only {
      let choice = try only.choice(from: collections.map { ($0.pointer, $0.title) }, of: name ?? "the document")
      skeleton.leaveOut(choice.leftOut)
    }
    self.skeleton = skeleton
  }

  private static func draftedKeys(
    for inputs: (old: ComparedInput, new: ComparedInput), _ options: ComparisonOptions
  ) throws -> [String: [[String]]] {
    var drafting = DraftingOptions()
    drafting.syntax = options.syntax
    drafting.limits = options.limits
    drafting.execution = options.execution.unmetered
    let backups = try [inputs.old, inputs.new].map { try $0.opened() }
    let rules = try RuleDocument(RuleDrafter(options: drafting).draft(backups).document)
    var keys: [String: [[String]]] = [:]
    for collection in rules.collections + rules.innerCollections {
      if let key = collection.keys.first(where: \.isPrimary) { keys[collection.pointer] = key.fields }
    }
    return keys
  }

  private static func detected(
    _ inputs: (old: ComparedInput, new: ComparedInput), rules: RuleSource
  ) throws -> BackupFormat? {
    let old = try detected(inputs.old, rules: rules)
    let new = try detected(inputs.new, rules: rules)
    if old?.name == new?.name { return old }
    // Report invalid JSON first: it is why no format was found.
    for (input, format) in [(inputs.old, old), (inputs.new, new)] where format == nil { try input.checkWellFormed() }
    func text(_ format: BackupFormat?) -> String { format?.name ?? "of unknown format" }
    throw CofferError(
      .differentFormats,
      "\(inputs.old.name) is \(text(old)), \(inputs.new.name) is \(text(new)): only backups of one format have records in common"
    )
  }

  private static func detected(_ input: ComparedInput, rules: RuleSource) throws -> BackupFormat? {
    switch try input.identify(rules: rules) {
    case .format(let format, _): return format
    case .rules: return nil
    case .undetected(let detection):
      if !detection.isAmbiguous { return nil }
      throw CofferError(.ambiguousFormat, "\(input.name): \(detection.problem.message)")
    }
  }

  /// Returns the collections whose records have keys, or are compared as whole values.
  ///
  /// - Parameter keys: the fields that identify records, by the collection's JSON Pointer, if they aren't those of the rules.
  static func collections(
    _ format: BackupFormat?, _ rules: RuleDocument?, keys: [String: [[String]]]
  ) throws(CofferError) -> [Skeleton.Collection] {
    var collections: [Skeleton.Collection] = []
    if let format {
      collections = format.collections.map { collection in
        Skeleton.Collection(
          pointer: collection.pointer, title: collection.title,
          fields: RecordDigester.Fields(
            key: collection.key, ignoresCase: collection.keyIgnoresCase, time: collection.modified.map { [$0] },
            timeFormat: collection.modifiedFormat), isObject: collection.rules.kind == .object)
      }
    } else if let rules {
      collections = rules.collections.map(Skeleton.Collection.init)
    }
    // Compare collections by their keys at any depth: as part of an object, one document's array would replace the other's.
    collections += (rules?.innerCollections ?? []).map(Skeleton.Collection.init)
    for (pointer, key) in keys.sorted(by: { $0.key < $1.key }) {
      guard let path = pointer.pointerTokens else {
        throw CofferError(
          .invalidKey, "'\(pointer)' is not a JSON Pointer; examples are '/expenses', and '' for the root")
      }
      if let known = collections.firstIndex(where: { $0.pointer == pointer }) {
        collections[known].fields.key = key
        collections[known].fields.ignoresCase = false
      } else {
        collections.append(
          Skeleton.Collection(pointer: pointer, title: path.last ?? "records", fields: RecordDigester.Fields(key: key)))
      }
    }
    // Without rules, the root may be an array of records.
    if rules == nil, keys[""] == nil {
      collections.append(Skeleton.Collection(pointer: "", title: "records", fields: RecordDigester.Fields()))
    }
    return collections
  }

  private static func isUnlikely(_ input: ComparedInput, _ format: BackupFormat) throws -> Bool {
    guard format.isDetectable, case .unknown = FormatCatalog([format]).detect(in: try input.prefix(FormatCatalog.prefixSize))
    else { return false }
    return true
  }

  /// - Throws: `CofferError` if a document is of another format than the named one: it doesn't meet the format's detection
  ///   criteria, and has none of its collections. All records would be missing on both sides.
  func checkFormat(_ inputs: (old: ComparedInput, new: ComparedInput), _ facts: (old: DocumentFacts, new: DocumentFacts))
    throws(CofferError)
  {
    guard let format else { return }
    let nodes = skeleton.collectionNodes.filter { !skeleton.nodes[$0].isLeftOut }
    for (input, facts, isUnlikely) in [(inputs.old, facts.old, isUnlikely.old), (inputs.new, facts.new, isUnlikely.new)]
    where isUnlikely && facts.arrays.isDisjoint(with: nodes) {
      let titles = nodes.prefix(4).compactMap { skeleton.nodes[$0].collection?.title }.joined(separator: ", ")
      throw CofferError(
        .differentFormats,
        "\(input.name) is not a backup of the format \(format.name): it has none of its collections (\(titles))")
    }
  }

  /// - Parameter arrays: the nodes that are arrays in one of the documents.
  /// - Throws: `CofferError` if a key was given for a pointer to neither an array of one of the documents nor a collection of the
  ///   rules.
  func checkKeys(
    _ keys: [String: [[String]]], _ inputs: (old: ComparedInput, new: ComparedInput), arrays: Set<Int>
  ) throws(CofferError) {
    let known = Set(format?.collections.map(\.pointer) ?? rules?.collections.map(\.pointer) ?? [])
    for pointer in keys.keys.sorted() where !known.contains(pointer) {
      guard let path = pointer.pointerTokens, let node = skeleton.node(at: path), !skeleton.nodes[node].isLeftOut,
        !arrays.contains(node)
      else { continue }
      throw CofferError(
        .invalidKey,
        "neither \(inputs.old.name) nor \(inputs.new.name) has an array at '\(pointer)' for the key")
    }
  }

  /// The numbers that declare the counts of the compared collections.
  var counts: [RuleDocument.DeclaredCount] {
    (rules?.declaredCounts ?? []).filter { count in
      skeleton.node(at: count.collection).map { skeleton.nodes[$0].collection != nil && !skeleton.nodes[$0].isLeftOut } ?? false
    }
  }

  /// - Throws: `CofferError` if the two documents declare different versions.
  func checkVersions(_ inputs: (old: ComparedInput, new: ComparedInput), _ facts: (old: DocumentFacts, new: DocumentFacts)) throws
  {
    guard let policy = format?.version else { return }
    let (old, new) = (version(of: facts.old), version(of: facts.new))
    if old == new { return }
    if let old, let new, let first = ExactDecimal(old), first == ExactDecimal(new) { return }
    let names = "\(inputs.old.name) has version \(old ?? "none"), \(inputs.new.name) version \(new ?? "none")"
    let older = Self.isOlder(old, than: new) ? inputs.old.name : inputs.new.name
    throw CofferError(
      .differentVersions, "\(names) (\(policy.pointer)): migrate \(older) first")
  }

  func version(of facts: DocumentFacts) -> String? { facts.version ?? format?.version?.ifAbsent[.json].map(String.init) }

  private static func isOlder(_ a: String?, than b: String?) -> Bool {
    guard let a = a.flatMap({ ExactDecimal($0) }) else { return true }
    guard let b = b.flatMap({ ExactDecimal($0) }) else { return false }
    return a < b
  }
}

extension Skeleton.Collection {
  /// Creates a collection from the rules, if no descriptor has more information.
  fileprivate init(_ rules: RuleDocument.Collection) {
    let key = rules.keys.first(where: \.isPrimary)
    self.init(
      pointer: rules.pointer, title: rules.name,
      fields: RecordDigester.Fields(key: key?.fields ?? [], ignoresCase: key?.ignoresCase ?? false),
      isObject: rules.kind == .object)
  }
}
