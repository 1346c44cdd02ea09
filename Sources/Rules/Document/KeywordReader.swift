import ByteStreams
import Findings
package import JSONEvents

/// Reads the values of one schema object's keywords.
struct KeywordReader {
  var schema: RuleValue
  let document: Int
  let resource: Int
  let dialect: Dialect
  var grading: Schema.Grading

  func place(of value: RuleValue) -> SchemaDocuments.Place { SchemaDocuments.Place(document, value.pointer) }

  var knowsPrefixItems: Bool { dialect.edition >= .draft2020 }

  mutating func readGrading() throws(CofferError) {
    guard dialect.hasVocabulary else { return }
    if let severity = try schema["severity"]?.expectChoice(Severity.mostSevereFirst) { grading.severity = severity }
    grading.code = try schema["code"]?.expectText()
    grading.message = try schema["errorMessage"]?.expectText()
  }

  /// Checks the members of an entry that can have its own grading.
  func checkMembers(_ value: RuleValue, known: [String]) throws(CofferError) {
    try value.checkMembers(known: known + Keyword.gradingNames)
  }
}

extension ByteView {
  /// Calls `body` with the UTF-8 of `text`.
  package static func with<R>(_ text: String, _ body: (ByteView) -> R) -> R {
    var text = text
    return text.withUTF8 { bytes in
      guard let base = bytes.baseAddress else {
        return withUnsafePointer(to: 0 as UInt8) { body(ByteView($0, count: 0)) }
      }
      return body(ByteView(base, count: bytes.count))
    }
  }
}

extension [UInt8] {
  /// Calls `body` with the bytes.
  func withView<R>(_ body: (ByteView) -> R) -> R {
    withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { body(ByteView($0, count: bytes.count)) } ?? ByteView.with("", body)
    }
  }
}

/// Fields, and the places of collections.
extension KeywordReader {
  /// Reads one field or a list of fields, each given as a name or a path of names.
  ///
  /// - Parameter allowsItems: true if a single field may lead through the values of a collection.
  func fields(_ value: RuleValue, allowsItems: Bool = false) throws(CofferError) -> [Schema.FieldPath] {
    let fields: [String]
    if let field = value.string { fields = [field] } else { fields = try value.expectNames() }
    guard !fields.isEmpty, Set(fields.map(ExactText.init)).count == fields.count else {
      throw value.error("expected at least one field, without duplicates")
    }
    var paths: [Schema.FieldPath] = []
    for field in fields {
      guard let path = ("/" + field).pointerTokens, path.count <= 16 else {
        throw value.error("'\(field)' is not a field: expected a name, or names separated by '/'")
      }
      guard !path.contains("*") || allowsItems && fields.count == 1 else {
        throw value.error("'\(field)' names several values, but this key needs single values")
      }
      guard !path.dropLast().contains(Schema.recordName),
        path.last != Schema.recordName || path.count == 1 || path.suffix(2)[path.count - 2] == "*"
      else {
        throw value.error("'\(field)' is not a field: '0#' is the record's name, so it must be the whole field or follow '*'")
      }
      paths.append(path)
    }
    return paths
  }

  /// Reads the collection that keys are looked up in: from the root (`/cars`), or relative to the field (`1/members`).
  func keyResource(_ value: RuleValue) throws(CofferError) -> Schema.Resource {
    if let text = value.string, let relative = Self.relative(text) {
      return relative
    }
    return .root(try resource(value, allowsWildcard: true))
  }

  private static func relative(_ text: String) -> Schema.Resource? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let levels = Int(digits), levels >= 1, levels <= 64, let tokens = String(text.dropFirst(digits.count)).pointerTokens,
      !tokens.isEmpty, tokens.count <= 16
    else { return nil }
    return .relative(levels: levels, tokens)
  }

  /// Returns the tokens of a pointer to a collection.
  func resource(_ value: RuleValue, allowsWildcard: Bool) throws(CofferError) -> [String] {
    guard let text = value.string, let tokens = text.pointerTokens else {
      throw value.error(
        "expected a JSON Pointer from the root, such as \"/cars\", or a place relative to the field, such as \"1/members\"")
    }
    guard allowsWildcard || !tokens.contains("*") else {
      throw value.error("'*' is not allowed here: expected a single collection")
    }
    return tokens
  }
}
