package import ByteStreams
import JSONEvents

/// A value of a rule document with its JSON Pointer, so that errors name its place.
///
///     expected a number, found a string (/properties/age/minimum, line 3, column 17)
package struct RuleValue: Sendable {
  package let json: JSONValue.Located
  package let pointer: String

  package struct Member: Sendable {
    package let key: String
    package let keyPosition: TextPosition
    package let value: RuleValue

    /// Creates an error about the name.
    package func error(_ message: String) -> CofferError { CofferError(rules: message, at: value.pointer, keyPosition) }
  }

  package init(_ json: JSONValue.Located, at pointer: String) {
    self.json = json
    self.pointer = pointer
  }

  package var string: String? { json.string }
  /// The number's source text.
  package var number: String? { json.number }
  /// The number if it is written without a fraction and an exponent.
  package var integer: Int? { json.number.flatMap { Int($0) } }
  package var boolean: Bool? { json.boolean }
  package var isObject: Bool { json.object != nil }
  package var isArray: Bool { json.array != nil }

  package var items: [RuleValue]? {
    json.array?.enumerated().map { RuleValue($1, at: "\(pointer)/\($0)") }
  }

  package var members: [Member]? {
    json.object?.map { Member(key: $0.key, keyPosition: $0.keyPosition, value: RuleValue($0.value, at: place(of: $0.key))) }
  }

  package subscript(name: String) -> RuleValue? {
    json[name].map { RuleValue($0, at: place(of: name)) }
  }

  private func place(of name: String) -> String { pointer + "/" + name.pointerToken }
}

extension RuleValue {
  package func error(_ message: String) -> CofferError { CofferError(rules: message, at: pointer, json.position) }

  /// Creates an error about a member, which may be missing.
  package func error(_ message: String, at name: String) -> CofferError {
    CofferError(rules: message, at: place(of: name), (json[name] ?? json).position)
  }

  /// Creates an error about the type of the value.
  package func unexpected(_ expected: String) -> CofferError { error("expected \(expected), found \(json.typeName)") }

  package func expectString() throws(CofferError) -> String {
    guard let string else { throw unexpected("a string") }
    return string
  }

  package func expectText() throws(CofferError) -> String {
    guard let string, !string.isEmpty else { throw error("expected a non-empty string") }
    return string
  }

  package func expectBoolean() throws(CofferError) -> Bool {
    guard let boolean else { throw unexpected("true or false") }
    return boolean
  }

  package func expectNumber() throws(CofferError) -> ExactDecimal {
    guard let decimal = number.flatMap({ ExactDecimal($0) }) else { throw unexpected("a number") }
    return decimal
  }

  func expectCount() throws(CofferError) -> Int {
    guard let decimal = number.flatMap({ ExactDecimal($0) }), decimal.isInteger, !decimal.isNegative else {
      throw error("expected a non-negative integer")
    }
    // No count can exceed `Int.max`.
    return decimal.int64.map { Int($0) } ?? .max
  }

  package func expectPositiveInteger() throws(CofferError) -> Int {
    guard let integer, integer > 0 else { throw error("expected a positive integer") }
    return integer
  }

  /// Reads the name of a case. An error lists the cases in this order.
  package func expectChoice<Choice: RawRepresentable<String>>(_ choices: [Choice]) throws(CofferError) -> Choice {
    guard let choice = choices.first(where: { $0.rawValue == string }) else {
      let names = choices.map(\.rawValue)
      throw error("expected \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")")
    }
    return choice
  }

  /// - Parameter content: the expected content of the list, for the message.
  package func expectItems(of content: String, allowsNone: Bool = true) throws(CofferError) -> [RuleValue] {
    guard let items else { throw unexpected("a list of \(content)") }
    guard allowsNone || !items.isEmpty else { throw error("expected a non-empty list of \(content)") }
    return items
  }

  package func expectNames() throws(CofferError) -> [String] {
    try expectItems(of: "names").map { item throws(CofferError) in try item.expectString() }
  }

  /// - Parameter content: the expected content of the object, for the message.
  package func expectMembers(of content: String) throws(CofferError) -> [Member] {
    guard let members else { throw unexpected("an object of \(content)") }
    return members
  }

  /// Checks that this is an object without members other than `known` ones and `$comment`.
  ///
  /// - Parameter owner: the owner of the members, for the message.
  package func checkMembers(known: [String], in owner: String? = nil) throws(CofferError) {
    guard let members else { throw unexpected("an object") }
    let known = known + ["$comment"]
    for member in members where !known.contains(member.key) {
      let place = owner.map { " in \($0)" } ?? ""
      throw member.error("unknown member '\(member.key)'\(place)\(Suggestion.text(for: member.key, among: known))")
    }
  }

  package func expectPattern(capturesGroups: Bool = false) throws(CofferError) -> Pattern {
    try Self.pattern(try expectString(), capturesGroups: capturesGroups, error)
  }

  fileprivate static func pattern(
    _ source: String, capturesGroups: Bool = false, _ mistake: (String) -> CofferError
  ) throws(CofferError) -> Pattern {
    do {
      return try Pattern(source, capturesGroups: capturesGroups)
    } catch {
      throw mistake("invalid pattern at byte \(error.offset): \(error.message)")
    }
  }
}

extension RuleValue.Member {
  /// Reads the name as a pattern.
  package func expectPattern() throws(CofferError) -> Pattern { try RuleValue.pattern(key, error) }
}

/// A place in a document that a caller watches in addition to the rules, token by token from the root.
package enum WatchedPlace: Sendable, Hashable {
  /// The scalar at this path.
  case value([String])
  /// The number of items of the array at this path.
  case count([String])
}

/// The value at a watched place.
package enum WatchedValue: Sendable, Hashable {
  case absent
  case null
  case boolean(Bool)
  /// A number as spelled in the document.
  case number(String)
  case string(String)
  case container
}
