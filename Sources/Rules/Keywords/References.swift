import ByteStreams
import Findings
import JSONEvents

/// References to other schemas, and the names that they use.
extension Keyword {
  static let references: [Keyword] = [
    Keyword("$ref", .core, code: "reference") { schemas, member, reader throws(CofferError) in
      try schemas.reference(member.value, reader)
    },
    Keyword("$dynamicRef", .core, since: .draft2020, read: dynamic),
    Keyword("$defs", .naming, since: .draft2019, subschemas: map, read: definitions),
    Keyword("$id", .naming, since: .draft6, read: text),
    Keyword("$anchor", .naming, since: .draft2019, read: text),
    Keyword("$dynamicAnchor", .naming, since: .draft2020, read: text),
  ]

  static let formerReferences: [Keyword] = [
    Keyword("definitions", .naming, successor: ("use $defs", draft7), subschemas: map, read: definitions),
    Keyword("id", .naming, until: .draft4, successor: ("use $id", "http://json-schema.org/draft-04/schema#"), read: text),
    Keyword(
      "$recursiveRef", .core, since: .draft2019, until: .draft2019, successor: ("use $dynamicRef with a name", draft2019),
      read: dynamic),
    Keyword(
      "$recursiveAnchor", .naming, since: .draft2019, until: .draft2019,
      successor: ("use $dynamicAnchor with a name", draft2019), read: nothing),
  ]

  static let draft7 = "http://json-schema.org/draft-07/schema#"
  private static let draft2019 = "https://json-schema.org/draft/2019-09/schema"

  private static let dynamic: Read = { schemas, member, reader throws(CofferError) in
    try schemas.dynamicReference(member.value, reader)
  }

  private static let definitions: Read = { schemas, member, reader throws(CofferError) in
    for inner in try member.value.expectMembers(of: "schemas") { _ = schemas.inner(inner.value, member.key, reader) }
    return nil
  }

  private static let text: Read = { _, member, _ throws(CofferError) in
    _ = try member.value.expectString()
    return nil
  }
}

extension SchemaReader {
  fileprivate mutating func reference(_ value: RuleValue, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion {
    switch try target(of: value, reader) {
    case .success(let target): .reference(schema(target, severity: nil))
    case .failure(let error): unusable("$ref", value, error, reader)
    }
  }

  fileprivate mutating func dynamicReference(_ value: RuleValue, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion
  {
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
}
