import JSONEvents
package import Rules

/// Values at places, which are the reference tokens of JSON Pointers.
extension JSONValue.Located {
  /// Returns the value at a place.
  package func value(at tokens: some Collection<String>) -> Self? {
    guard let name = tokens.first else { return self }
    if object != nil { return self[exactly: name]?.value(at: tokens.dropFirst()) }
    guard let items = array, let index = Int(name), items.indices.contains(index) else { return nil }
    return items[index].value(at: tokens.dropFirst())
  }

  /// Returns this value with another one at a place, which its object may lack; `nil` removes it.
  package func setting(_ value: Self?, at tokens: some Collection<String>) -> Self {
    guard let name = tokens.first else { return value ?? self }
    let rest = tokens.dropFirst()
    if var members = object {
      if let index = members.lastIndex(where: { ExactText($0.key) == ExactText(name) }) {
        if value == nil, rest.isEmpty {
          members.remove(at: index)
        } else {
          members[index].value = members[index].value.setting(value, at: rest)
        }
      } else if let value, rest.isEmpty {
        members.append(JSONValue.Member(key: name, keyPosition: position, value: value))
      }
      return Self(.object(members))
    }
    guard var items = array, let index = Int(name), items.indices.contains(index) else { return self }
    if value == nil, rest.isEmpty { items.remove(at: index) } else { items[index] = items[index].setting(value, at: rest) }
    return Self(.array(items))
  }

  private subscript(exactly name: String) -> Self? {
    object?.last { ExactText($0.key) == ExactText(name) }?.value
  }
}

/// Values that no document holds yet, and times.
extension JSONValue.Located {
  package static func members(_ members: [(String, Self)]) -> Self {
    Self(.object(members.map { JSONValue.Member(key: $0.0, keyPosition: $0.1.position, value: $0.1) }))
  }

  /// The point in time that a text is.
  package var instant: Instant? {
    guard let string else { return nil }
    return ByteView.with(string) { StringFormat.dateTime.instant($0) ?? StringFormat.date.instant($0) }
  }
}

/// Rule documents: the schemas of values.
extension JSONValue.Located {
  /// Returns the place of the schema of a value, through members, items and references within the document, or `nil` if there is none.
  package func schemaPath(of path: some Collection<String>) -> [String]? {
    var schema: [String] = []
    for token in path {
      guard let current = resolved(schema) else { return nil }
      let parts = [["properties", token], ["items"], ["additionalProperties"]]
      guard let part = parts.first(where: { value(at: current + $0) != nil }) else { return nil }
      schema = current + part
    }
    return resolved(schema)
  }

  private func resolved(_ schema: [String]) -> [String]? {
    var schema = schema
    for _ in 0..<16 {
      guard let reference = value(at: schema + ["$ref"])?.string else { return schema }
      guard reference.hasPrefix("#"), let tokens = String(reference.dropFirst()).pointerTokens else { return nil }
      schema = tokens
    }
    return nil
  }
}
