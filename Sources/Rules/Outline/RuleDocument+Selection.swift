public import ByteStreams
import JSONEvents

/// Rules for a part of a document.
extension RuleDocument {
  /// Returns the same rules without those for some arrays, and for their contents: both are no longer checked.
  ///
  /// References into these arrays are still checked, because the reference itself requires the key of the records. Rules about
  /// the root as a whole remain, such as required members and item counts.
  ///
  /// - Parameter paths: the arrays, each by the names that lead to it.
  package func leavingOut(_ paths: Set<[String]>) -> RuleDocument {
    var copy = self
    var copies: [Relaxation: Int] = [:]
    copy.root = copy.relax(Relaxation(schema: root, paths: paths), &copies)
    return copy
  }

  /// A schema, and the paths of values below it that have no rules.
  private struct Relaxation: Hashable {
    let schema: Int
    let paths: Set<[String]>
  }

  /// Returns the index of the schema's copy without the rules for those values, or of the schema itself if it has none.
  private mutating func relax(_ part: Relaxation, _ copies: inout [Relaxation: Int]) -> Int {
    if let known = copies[part] { return known }
    // The compiler rejects schemas that refer to themselves in place.
    copies[part] = part.schema
    var schema = schemas[part.schema]
    var isChanged = false
    for position in schema.keywords.indices {
      guard let assertion = relaxed(schema.keywords[position].assertion, part.paths, &copies) else { continue }
      schema.keywords[position].assertion = assertion
      isChanged = true
    }
    guard isChanged else { return part.schema }
    schemas.append(schema)
    copies[part] = schemas.count - 1
    return schemas.count - 1
  }

  /// Returns the remaining part of a keyword, or `nil` if it is unchanged.
  private mutating func relaxed(
    _ assertion: Schema.Assertion, _ paths: Set<[String]>, _ copies: inout [Relaxation: Int]
  ) -> Schema.Assertion? {
    func part(_ schema: Int) -> Relaxation { Relaxation(schema: schema, paths: paths) }
    switch assertion {
    case .members(var members):
      var isChanged = false
      for position in members.named.indices {
        let (name, old) = members.named[position]
        let inner = Set(paths.filter { $0.first == name }.map { Array($0.dropFirst()) })
        if inner.contains([]) {
          var nothing = schemas[old]
          nothing.keywords = []
          schemas.append(nothing)
          members.named[position].schema = schemas.count - 1
        } else if !inner.isEmpty {
          members.named[position].schema = relax(Relaxation(schema: old, paths: inner), &copies)
        }
        isChanged = isChanged || members.named[position].schema != old
      }
      return isChanged ? .members(members) : nil
    case .reference(let target):
      let copy = relax(part(target), &copies)
      return copy == target ? nil : .reference(copy)
    case .allOf(let parts):
      let relaxed = parts.map { relax(part($0), &copies) }
      return relaxed == parts ? nil : .allOf(relaxed)
    case .condition(let test, let then, let `else`):
      let relaxedThen = then.map { relax(part($0), &copies) }
      let relaxedElse = `else`.map { relax(part($0), &copies) }
      return relaxedThen == then && relaxedElse == `else` ? nil : .condition(if: test, then: relaxedThen, else: relaxedElse)
    default: return nil
    }
  }

  // MARK: Records

  /// Returns the keywords for one of the root's collections and for everything in it, each with the path from there.
  private func keywords(inCollection name: String) -> [(path: [String], keyword: Schema.Keyword)] {
    var result: [(path: [String], keyword: Schema.Keyword)] = []
    var seen: Set<Int> = []
    func walk(_ schema: Int, _ path: [String]) {
      guard path.count < 9, seen.insert(schema).inserted else { return }
      for keyword in inPlaceKeywords(of: schema) {
        result.append((path, keyword))
        switch keyword.assertion {
        case .items(_, let item?): walk(item, path + ["*"])
        case .members(let members):
          for member in members.named { walk(member.schema, path + [member.name]) }
          for schema in members.patterns.map(\.schema) + [members.additional].compactMap(\.self) { walk(schema, path + ["*"]) }
        default: break
        }
      }
    }
    for member in members(of: root) where member.name == name { walk(member.schema, []) }
    return result
  }

  /// Returns true if the records of one of the root's collections name container entries, including those of collections inside
  /// the records.
  package func namesEntries(ofCollection name: String) -> Bool {
    keywords(inCollection: name).contains { if case .containerEntry = $0.keyword.assertion { true } else { false } }
  }

  /// A reference made by the records of a collection.
  package struct Reference: Sendable {
    /// The fields of the key, as rule documents write them, relative to the record.
    package var fields: String
    package var key: Schema.ForeignKey
  }

  /// Returns the references made by the records of one of the root's collections, including those of collections inside them.
  package func references(ofCollection name: String) -> [Reference] {
    keywords(inCollection: name).compactMap { path, keyword in
      guard case .foreignKey(let key) = keyword.assertion else { return nil }
      let fields = key.fields.map { Array((path + ["*"] + $0).dropFirst()).fieldText }
      return Reference(fields: fields.joined(separator: ", "), key: key)
    }
  }
}

extension RuleDocument {
  /// Returns rules that apply these to every item of an array, or member of an object, each as a document of its own: to each line of
  /// JSON Lines, or each record of a collection.
  ///
  /// The root in these rules is the item: keys, references, `$data` and `countOf` stay within it. Places in findings are those in the
  /// whole file. The rest of the file has no rules, except that there is such an array or object.
  ///
  /// For example:
  ///
  ///     let rules = try RuleDocument(contentsOf: "expense.schema.json").forEachItem(of: "/expenses")
  ///
  /// Cost: none. The items are evaluated like those of any array, on all threads.
  ///
  /// - Parameter pointer: the place of the array or object. The empty pointer is the root, or the lines of JSON Lines.
  /// - Throws: `invalidPointer` if it is not a JSON Pointer of at most 16 names, or the rules are for each item already.
  public func forEachItem(of pointer: String = "") throws(CofferError) -> RuleDocument {
    guard documentsSchema == nil else {
      throw CofferError(.invalidPointer, "the rules are already for each item of a collection")
    }
    guard let names = pointer.pointerTokens, names.count <= 16, !names.contains("*") else {
      throw CofferError(.invalidPointer, "'\(pointer)' is not the JSON Pointer of a collection, such as /expenses")
    }
    var copy = self
    let origin = schemas[root].origin
    func keyword(_ name: String, _ assertion: Schema.Assertion, _ message: String) -> Schema.Keyword {
      Schema.Keyword(name: name, origin: origin, assertion: assertion, grading: Schema.Grading(message: message))
    }
    func add(_ keywords: [Schema.Keyword]) {
      var schema = Schema(origin: origin)
      schema.resource = schemas[root].resource
      schema.keywords = keywords
      copy.schemas.append(schema)
      copy.root = copy.schemas.count - 1
    }
    var records = Schema.Members()
    records.additional = root
    add([
      keyword("type", .types(.collection), "expected an array or an object: the rules are for each of its items"),
      keyword("items", .items(prefix: [], rest: root), "expected a document"),
      keyword("additionalProperties", .members(records), "expected a document"),
    ])
    copy.documentsSchema = copy.root
    for name in names.reversed() {
      let message = "expected the member '\(name)': the rules are for the items of \(pointer)"
      var members = Schema.Members()
      members.named = [(name, copy.root)]
      add([
        keyword("type", .types(.object), message), keyword("required", .required([name]), message),
        keyword("properties", .members(members), message),
      ])
    }
    copy.documentPath = names + ["*"]
    return copy
  }

  /// True if the rules describe values other than arrays, and say nothing about the items of an array: they can only be about the
  /// items of a document that is an array.
  package var describesNoArray: Bool {
    var describes = false
    var seen: Set<Int> = []
    func isSilent(_ schema: Int) -> Bool {
      guard seen.insert(schema).inserted else { return true }
      return schemas[schema].keywords.allSatisfy { keyword in
        if case .types(let types) = keyword.assertion {
          describes = true
          return !types.contains(.array)
        }
        let parts = keyword.assertion.inPlace
        guard parts.isEmpty else { return parts.allSatisfy { isSilent($0.schema) } }
        if keyword.assertion.types == .object, !keyword.isUnevaluated { describes = true }
        return keyword.assertion.types.map { !$0.contains(.array) } ?? true
      }
    }
    return isSilent(root) && describes
  }
}
