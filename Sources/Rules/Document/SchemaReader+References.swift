import ByteStreams
import JSONEvents

/// References to other schemas, and the names that they use.
extension SchemaReader {
  mutating func reference(_ value: RuleValue, _ reader: KeywordReader) throws(CofferError) -> Int {
    let text = try value.expectString()
    let target = try documents.resolve(text, in: reader.resource, at: reader.place(of: value), value.json.position)
    return schema(target, severity: nil)
  }

  mutating func dynamicReference(_ value: RuleValue, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion {
    let text = try value.expectString()
    let target = try documents.resolve(text, in: reader.resource, at: reader.place(of: value), value.json.position)
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
}
