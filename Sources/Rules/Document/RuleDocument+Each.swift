public import ByteStreams
import JSONEvents

extension RuleDocument {
  /// Returns rules that apply these to every item of an array, each as a document of its own: to each line of JSON Lines, or each
  /// record of a collection.
  ///
  /// The root in these rules is the item: keys, references, `$data` and `countOf` stay within it. Places in findings are those in the
  /// whole file. The rest of the file has no rules, except that there is such an array.
  ///
  /// For example:
  ///
  ///     let rules = try RuleDocument(contentsOf: "expense.schema.json").forEachItem(of: "/expenses")
  ///
  /// Cost: none. The items are evaluated like those of any array, on all threads.
  ///
  /// - Parameter pointer: the array's place. The empty pointer is the root, or the lines of JSON Lines.
  /// - Throws: `invalidPointer` if it is not a JSON Pointer of at most 16 names, or the rules are for each item already.
  public func forEachItem(of pointer: String = "") throws(CofferError) -> RuleDocument {
    guard documentsSchema == nil else { throw CofferError(.invalidPointer, "the rules are already for each item of an array") }
    guard let names = pointer.pointerTokens, names.count <= 16, !names.contains("*") else {
      throw CofferError(.invalidPointer, "'\(pointer)' is not the JSON Pointer of an array, such as /expenses")
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
    add([
      keyword("type", .types(.array), "expected an array: the rules are for each of its items"),
      keyword("items", .items(prefix: [], rest: root), "expected a document"),
    ])
    copy.documentsSchema = copy.root
    for name in names.reversed() {
      let message = "expected the member '\(name)': the rules are for the items of the array \(pointer)"
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
        switch keyword.assertion {
        case .items, .itemCount, .contains, .uniqueItems, .unevaluatedItems, .uniqueKey, .foreignKey, .sortedBy: return false
        case .types(let types):
          describes = true
          return !types.contains(.array)
        case .members, .required, .memberCount, .memberNames, .dependentRequired:
          describes = true
          return true
        case .reference(let target), .dynamicReference(let target, _): return isSilent(target)
        case .allOf(let parts), .anyOf(let parts), .oneOf(let parts): return parts.allSatisfy(isSilent)
        case .condition(let test, let then, let otherwise):
          return [test, then, otherwise].compactMap(\.self).allSatisfy(isSilent)
        case .not(let part): return isSilent(part)
        case .dependentSchemas(let parts): return parts.allSatisfy { isSilent($0.schema) }
        default: return true
        }
      }
    }
    return isSilent(root) && describes
  }
}
