import ByteStreams
import JSONEvents

/// References to other schemas, and the names that they use.
extension SchemaReader {
  mutating func reference(
    _ value: JSONValue.Located, _ pointer: String, _ reader: KeywordReader
  ) throws(CofferError) -> Int {
    guard let text = value.string else { throw CofferError(rules: "a reference must be a string", at: pointer, value.position) }
    let target = try documents.resolve(
      text, in: reader.resource, at: SchemaDocuments.Place(reader.place.document, pointer), value.position)
    return schema(target, severity: nil)
  }

  mutating func dynamicReference(
    _ value: JSONValue.Located, _ pointer: String, _ reader: KeywordReader
  ) throws(CofferError) -> Schema.Assertion {
    guard let text = value.string else { throw CofferError(rules: "a reference must be a string", at: pointer, value.position) }
    let place = SchemaDocuments.Place(reader.place.document, pointer)
    let target = try documents.resolve(text, in: reader.resource, at: place, value.position)
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

  func checkName(_ name: String, _ value: JSONValue.Located, _ pointer: String) throws(CofferError) {
    guard value.string != nil else { throw CofferError(rules: "\(name) must be a string", at: pointer, value.position) }
  }
}
