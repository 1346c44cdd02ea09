import ByteStreams
import Findings
import JSONEvents

/// References to other schemas, and the names that they use.
extension SchemaReader {
  mutating func reference(_ value: RuleValue, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion {
    switch try target(of: value, reader) {
    case .success(let target): .reference(schema(target, severity: nil))
    case .failure(let error): unusable("$ref", value, error, reader)
    }
  }

  mutating func dynamicReference(_ value: RuleValue, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion {
    let text = try value.expectString()
    let target: SchemaDocuments.Target
    switch try self.target(of: value, reader) {
    case .success(let found): target = found
    case .failure(let error): return unusable("$dynamicRef", value, error, reader)
    }
    let initial = schema(target, severity: nil)
    // It is resolved dynamically only if its initial target is a dynamic anchor itself (core, section 8.2.3.2).
    let resource = documents.resources[documents.resource(of: target.place)]
    let name: ExactText
    if reader.dialect.edition == .draft2019 {
      name = SchemaDocuments.recursiveAnchor
    } else {
      guard let fragment = URIReference(text).fragment?.percentDecoded, fragment.utf8.first != UInt8(ascii: "/") else {
        return .reference(initial)
      }
      name = ExactText(fragment)
    }
    guard let anchored = resource.dynamicAnchors[name], anchored.place == target.place else { return .reference(initial) }
    noteDynamicName(name)
    return .dynamicReference(initial, anchor: name)
  }

  /// Returns the target of a reference; a failure if its document is not available.
  ///
  /// - Throws: an error that makes the rules unusable whatever a document contains, such as a place that doesn't exist.
  private mutating func target(
    of value: RuleValue, _ reader: KeywordReader
  ) throws(CofferError) -> Result<SchemaDocuments.Target, CofferError> {
    let text = try value.expectString()
    do throws(CofferError) {
      return .success(try documents.resolve(text, in: reader.resource, at: reader.place(of: value), value.json.position))
    } catch {
      guard error.code == .unresolvedReference else { throw error }
      return .failure(error)
    }
  }

  /// Warns about a reference that leads nowhere. The rules remain usable for documents that don't reach it.
  private mutating func unusable(
    _ name: String, _ value: RuleValue, _ error: CofferError, _ reader: KeywordReader
  ) -> Schema.Assertion {
    let origin = Schema.Origin(
      document: documents.name(of: reader.place(of: value)), pointer: value.pointer, position: value.json.position)
    warn(origin.finding(code: error.code.rawValue, keyword: name, error.message))
    return .unusable(error.inDocument(origin.document))
  }

  // MARK: Loops

  /// Makes schemas unusable that refer to themselves without descending into a member or an item: they would apply endlessly.
  ///
  ///     {"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}}}
  ///
  ///     a ─▶ a/allOf/0 ─▶ b ─▶ b/not ─▶ a        a is entered while it is open: a becomes unusable
  ///
  /// The compiler and others follow such schemas without further care. What a `$dynamicRef` leads to is known only when rules are
  /// compiled: the compiler refuses its loops. The search takes time linear in the rules, and no recursion.
  mutating func breakLoops() {
    enum Mark { case new, open, done }
    var marks = Array(repeating: Mark.new, count: schemas.count)
    var endless: Set<Int> = []
    for start in schemas.indices where marks[start] == .new {
      var way: [(schema: Int, parts: [Int])] = [(start, partsInPlace(of: start))]
      marks[start] = .open
      while let last = way.indices.last {
        guard let part = way[last].parts.popLast() else {
          marks[way.removeLast().schema] = .done
          continue
        }
        if marks[part] == .new {
          marks[part] = .open
          way.append((part, partsInPlace(of: part)))
        } else if marks[part] == .open {
          endless.insert(part)
        }
      }
    }
    for index in endless.sorted() {
      let origin = schemas[index].origin
      let message = "this schema refers to itself without descending into a member or an item"
      let code = CofferError.Code.endlessReference
      warn(origin.finding(code: code.rawValue, keyword: "$ref", message))
      let place = CofferError.Place(document: origin.document, pointer: origin.pointer, position: origin.position)
      schemas[index].keywords = [
        Schema.Keyword(
          name: "$ref", origin: origin, assertion: .unusable(CofferError(code, message, at: place)), grading: Schema.Grading())
      ]
    }
  }

  /// Returns the schemas that apply to the same value as this one, the last one first.
  private func partsInPlace(of schema: Int) -> [Int] {
    var parts: [Int] = []
    for keyword in schemas[schema].keywords {
      switch keyword.assertion {
      case .reference(let part), .not(let part): parts.append(part)
      case .allOf(let all), .anyOf(let all), .oneOf(let all): parts += all
      case .dependentSchemas(let dependencies): parts += dependencies.map(\.schema)
      // On its own, `if` validates nothing.
      case .condition(let test, let then, let otherwise) where then != nil || otherwise != nil:
        parts += [test, then, otherwise].compactMap(\.self)
      default: break
      }
    }
    return parts.reversed()
  }
}
