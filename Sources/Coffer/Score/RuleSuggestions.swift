import ByteStreams
import JSONEvents
import RuleDrafts
public import Rules

/// Rules that would find what a test of rules shows to be missed, as a patch of the rule document.
///
///     --- my-app.json
///     +++ my-app.json
///     @@ -12,3 +12,4 @@
///          "amount": {
///     +      "maximum": 10000,
///            "type": "number",
///
/// Text is only inserted, so that comments, order and layout stay. A keyword that is there already with another value is repeated in an `allOf`.
public struct RuleSuggestions: Sendable {
  /// The patch, for `git apply -p0` or `patch -p0`; empty if there is nothing to add.
  public let patch: String
  /// The rule document with the patch.
  public let document: String
  /// The keywords that were added, by the places of values, such as `/expenses/*/amount: maximum`.
  public let additions: [String]
  /// What must be changed by hand, and why.
  public let leftOut: [String]

  /// - Parameters:
  ///   - score: the result of the test.
  ///   - text: the text of the rule document.
  ///   - name: its name in the patch.
  /// - Throws: `CofferError` if the text is no rule document.
  public init(for score: RuleScore, _ text: String, _ syntax: RuleSyntax, named name: String) throws(CofferError) {
    let document = try syntax.read(MemorySource(text.utf8))
    guard let draft = score.draft else {
      (patch, self.document, additions, leftOut) = ("", text, [], [])
      return
    }
    var writer = SuggestionWriter(document, draft: draft.document, isYAML: syntax.endings.contains("yaml"))
    for cell in score.gaps { for location in cell.locations { writer.add(cell, location) } }
    let edited = TextInsertions(writer.insertions(in: Array(text.utf8)), in: text)
    patch = edited.patch(named: name)
    self.document = edited.text
    additions = writer.additions
    leftOut = writer.leftOut
  }
}

/// Collects what to add to each schema of a rule document.
private struct SuggestionWriter {
  private let document: JSONValue.Located
  private let draft: JSONValue.Located
  /// What to add, by the place of a schema in the document. Nothing has the place of anything that is there.
  private var members: [String: [(key: String, value: JSONValue.Located)]] = [:]
  /// The items to add at the starts of lists.
  private var items: [String: [JSONValue.Located]] = [:]
  private var order: [String] = []
  private var seen: Set<String> = []
  private(set) var additions: [String] = []
  private(set) var leftOut: [String] = []
  private let isCoffers: Bool
  private let isYAML: Bool

  private static let lists: Set = ["required", "allOf", "uniqueKeys", "foreignKeys"]
  private static let coffersKeywords: Set = [
    "primaryKey", "uniqueKeys", "foreignKeys", "countOf", "sumOf", "sortedBy",
  ]

  init(_ document: JSONValue.Located, draft: JSONValue.Located, isYAML: Bool) {
    (self.document, self.draft, self.isYAML) = (document, draft, isYAML)
    isCoffers = document["$schema"]?.string.map { $0 == "urn:coffer:rules:1" } ?? true
  }

  mutating func add(_ cell: RuleScore.Cell, _ location: String) {
    guard let tokens = location.pointerTokens else { return }
    if cell.keyword == "additionalProperties" { return close(cell.field.pointerTokens ?? []) }
    if cell.kind == .future { return limitToNow(cell.field.pointerTokens ?? []) }
    let (path, rest) = Self.split(tokens)
    guard let keyword = rest.first, let value = draft.value(at: path.schema + [keyword]) else { return }
    switch keyword {
    case "required":
      let field = cell.field.pointerTokens ?? []
      guard let name = field.last, Array(field.dropLast()) == path.value else {
        // A container around it is missing.
        return addAll(value, keyword, at: path.value)
      }
      add(keyword, JSONValue.Located(.string(name)), at: path.value)
    case "uniqueKeys", "foreignKeys", "allOf":
      guard let index = rest.dropFirst().first.flatMap({ Int($0) }), let items = value.array, items.indices.contains(index) else {
        return
      }
      add(keyword, items[index], at: path.value)
    case "maximum", "minimum":
      if value.object == nil { add(keyword, bound(value, isMaximum: keyword == "maximum"), at: path.value) } else { fallthrough }
    case "primaryKey": add(keyword, value["fields"] ?? value, at: path.value)
    default: add(keyword, value, at: path.value)
    }
  }

  /// Allows no other members than the backups have.
  private mutating func close(_ place: [String]) {
    // The draft refers to its own definition of unknown members.
    guard let (schema, count) = draft.nearestSchema(of: place), count == place.count else { return }
    let known = document.schemaPath(of: place).flatMap { document.value(at: $0 + ["properties"]) }
    for member in draft.value(at: schema + ["properties"])?.object ?? [] where known?[member.key] == nil {
      add("properties", .members([(member.key, .members([]))]), at: place)
    }
    add("additionalProperties", JSONValue.Located(.boolean(false)), at: place)
  }

  /// Allows no times in the future, but another time zone. A bound needs its format beside it.
  private mutating func limitToNow(_ place: [String]) {
    guard let schema = draft.schemaPath(of: place), let format = draft.value(at: schema + ["format"]) else {
      leftOut.append("\(place.pointer): formatMaximum (it is not known which format the times have)")
      return
    }
    add("allOf", .members([("format", format), ("formatMaximum", JSONValue.Located(.string("now+P1D")))]), at: place)
  }

  private mutating func addAll(_ value: JSONValue.Located, _ keyword: String, at place: [String]) {
    for item in value.array ?? [] { add(keyword, item, at: place) }
  }

  /// Returns a bound with room for further values: a power of ten, or zero.
  private func bound(_ value: JSONValue.Located, isMaximum: Bool) -> JSONValue.Located {
    guard let text = value.number, let number = Double(text), number.isFinite, abs(number) < 1e15 else { return value }
    if isMaximum == (number <= 0) || number == 0 { return JSONValue.Located(.number("0")) }
    var power = 1
    while Double(power) < abs(number) { power *= 10 }
    return JSONValue.Located(.number(number < 0 ? "-\(power)" : "\(power)"))
  }

  /// Splits a place in the draft into that of a schema, as names of values and as keywords, and what follows.
  private static func split(_ tokens: [String]) -> (path: (value: [String], schema: [String]), rest: ArraySlice<String>) {
    var (value, index): ([String], Int) = ([], 0)
    loop: while index < tokens.count {
      switch tokens[index] {
      case "properties" where index + 1 < tokens.count:
        value.append(tokens[index + 1])
        index += 2
      case "items" where index + 1 < tokens.count, "additionalProperties" where index + 1 < tokens.count:
        value.append("*")
        index += 1
      default: break loop
      }
    }
    return ((value, Array(tokens[..<index])), tokens[index...])
  }

  // MARK: Places

  private mutating func add(_ keyword: String, _ value: JSONValue.Located, at place: [String]) {
    let value = value.withoutComments
    let what =
      "\(place.pointer.isEmpty ? "the root" : place.pointer): \(keyword)" + (keyword == "required" ? " \(value.text)" : "")
    guard seen.insert("\(what) \(value.text)").inserted else { return }
    if !isCoffers, Self.coffersKeywords.contains(keyword) || value.text.contains("\"$data\"") || value.text.contains("\"formatM")
    {
      leftOut.append("\(what) (needs \"$schema\": \"urn:coffer:rules:1\")")
      return
    }
    guard let (schema, count) = document.nearestSchema(of: place), let target = document.value(at: schema), target.object != nil
    else {
      leftOut.append("\(what) (a reference leads to another document, or the schema isn't an object)")
      return
    }
    var (key, content) = (keyword, Self.lists.contains(keyword) ? JSONValue.Located(.array([value])) : value)
    // Schemas around it that are missing.
    for token in place[count...].reversed() {
      let inner = JSONValue.Located.members([(key, content)])
      (key, content) = token == "*" ? ("items", inner) : ("properties", .members([(token, inner)]))
    }
    guard insert(key, content, into: schema) else {
      leftOut.append("\(what) (\(key) is there already, with other contents)")
      return
    }
    if keyword != "properties" { additions.append(what) }
  }

  /// - Returns: false if a keyword is there that can't be repeated.
  private mutating func insert(_ key: String, _ value: JSONValue.Located, into schema: [String]) -> Bool {
    let place = schema.pointer
    if let known = document.value(at: schema + [key]) {
      if Self.lists.contains(key), known.array?.isEmpty == false, let new = value.array {
        insert(items: new, into: schema + [key])
      } else if key == "primaryKey" {
        return insert("uniqueKeys", JSONValue.Located(.array([.members([("fields", value)])])), into: schema)
      } else if key == "properties", known.object?.isEmpty == false, let member = value.object?.first {
        return insert(member.key, member.value, into: schema + [key])
      } else if key == "additionalProperties" || key == "items" || key == "properties" || schema.last == "properties" {
        return false
      } else {
        return insert("allOf", JSONValue.Located(.array([.members([(key, value)])])), into: schema)
      }
      return true
    }
    if members[place] == nil { order.append(place) }
    var known = members[place] ?? []
    if let index = known.firstIndex(where: { $0.key == key }) {
      guard let merged = known[index].value.merged(with: value) else { return false }
      known[index].value = merged
    } else {
      known.append((key, value))
    }
    members[place] = known
    return true
  }

  private mutating func insert(items new: [JSONValue.Located], into list: [String]) {
    let place = list.pointer
    if items[place] == nil { order.append(place) }
    items[place, default: []] += new
  }

  // MARK: Text

  /// Returns the texts to insert, by their offsets.
  func insertions(in text: [UInt8]) -> [(offset: Int, text: String)] {
    order.compactMap { place in
      guard let tokens = place.pointerTokens, let target = document.value(at: tokens),
        text.indices.contains(target.position.offset)
      else {
        return nil
      }
      let parts = members[place].map { $0.map { "\(name($0.key)): \($0.value.text)" } } ?? items[place, default: []].map(\.text)
      let isList = members[place] == nil
      let start = target.position.offset
      if text[start] == UInt8(ascii: "{") || text[start] == UInt8(ascii: "[") {
        let (blank, isEmpty) = Self.gap(after: start, in: text)
        let separator = blank.isEmpty ? ", " : ","
        return (start + 1, parts.map { blank + $0 }.joined(separator: separator) + (isEmpty ? "" : separator))
      }
      // A block of YAML, whose first key or dash is here.
      let indent = "\n" + String(repeating: " ", count: max(0, target.position.column - 1))
      return (start, parts.map { (isList ? "- " : "") + $0 + indent }.joined())
    }.sorted { $0.offset < $1.offset }
  }

  /// Returns a member's name as the document's syntax writes it.
  private func name(_ key: String) -> String {
    isYAML && Keyword.all.contains { $0.name == key } ? key : key.quoted
  }

  /// Returns the white space after a bracket, up to the next value, and whether the container is empty.
  private static func gap(after bracket: Int, in text: [UInt8]) -> (String, isEmpty: Bool) {
    var end = bracket + 1
    while end < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[end]) { end += 1 }
    let isEmpty = end < text.count && (text[end] == UInt8(ascii: "}") || text[end] == UInt8(ascii: "]"))
    return (isEmpty ? "" : String(decoding: text[bracket + 1..<end], as: UTF8.self), isEmpty)
  }
}

extension JSONValue.Located {
  /// Without the draft's evidence.
  fileprivate var withoutComments: Self {
    if let members = object {
      return .members(members.filter { $0.key != "$comment" }.map { ($0.key, $0.value.withoutComments) })
    }
    return array.map { Self(.array($0.map(\.withoutComments))) } ?? self
  }

  /// Returns this value with what another one adds, or `nil` if they contradict each other.
  fileprivate func merged(with other: Self) -> Self? {
    if let items = array, let more = other.array {
      let known = Set(items.map(\.text))
      return Self(.array(items + more.filter { !known.contains($0.text) }))
    }
    guard var members = object, let more = other.object else { return text == other.text ? self : nil }
    for member in more {
      if let index = members.firstIndex(where: { $0.key == member.key }) {
        guard let merged = members[index].value.merged(with: member.value) else { return nil }
        members[index].value = merged
      } else {
        members.append(member)
      }
    }
    return Self(.object(members))
  }
}

/// Texts that are inserted into another one, as a unified diff.
private struct TextInsertions {
  /// The lines before, each with what replaces it if anything is inserted there.
  private let lines: [(old: Substring, new: String?)]
  let text: String

  private static let contextCount = 3

  /// - Parameter insertions: in ascending order.
  init(_ insertions: [(offset: Int, text: String)], in text: String) {
    var lines: [(old: Substring, new: String?)] = []
    var rest = insertions[...]
    var start = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let end = start + line.utf8.count
      var new: [UInt8] = []
      var position = start
      let bytes = Array(line.utf8)
      while let next = rest.first, next.offset <= end {
        new += bytes[position - start..<next.offset - start] + Array(next.text.utf8)
        position = next.offset
        rest.removeFirst()
      }
      lines.append((line, new.isEmpty ? nil : String(decoding: new + bytes[(position - start)...], as: UTF8.self)))
      start = end + 1
    }
    self.lines = lines
    self.text = lines.map { $0.new ?? String($0.old) }.joined(separator: "\n")
  }

  /// Returns the changes for `patch -p0`.
  func patch(named name: String) -> String {
    // Behind the last line break there is no line.
    let endsLine = lines.last?.old.isEmpty == true
    let count = lines.count - (endsLine ? 1 : 0)
    let changed = (0..<count).filter { lines[$0].new != nil }
    var hunks: [Range<Int>] = []
    for line in changed {
      let range = max(0, line - Self.contextCount)..<min(count, line + Self.contextCount + 1)
      if let last = hunks.last, range.lowerBound <= last.upperBound {
        hunks[hunks.count - 1] = last.lowerBound..<range.upperBound
      } else {
        hunks.append(range)
      }
    }
    if hunks.isEmpty { return "" }
    var result = "--- \(name)\n+++ \(name)\n"
    var added = 0
    for hunk in hunks {
      var (body, newCount) = ("", 0)
      for line in hunk {
        let isLast = line == count - 1 && !endsLine
        let (old, new) = (String(lines[line].old), lines[line].new)
        let mark = isLast ? "\n\\ No newline at end of file\n" : "\n"
        guard let new else {
          body += " \(old)\(mark)"
          newCount += 1
          continue
        }
        let parts = new.split(separator: "\n", omittingEmptySubsequences: false)
        newCount += parts.count
        // A line that only moves isn't changed.
        if parts.first.map(String.init) == old {
          body += " \(old)\n" + parts.dropFirst().map { "+\($0)\n" }.joined()
        } else if parts.last.map(String.init) == old, parts.count > 1 {
          body += parts.dropLast().map { "+\($0)\n" }.joined() + " \(old)\(mark)"
        } else {
          body += "-\(old)\(mark)" + parts.map { "+\($0)\n" }.joined()
          if isLast { body += "\\ No newline at end of file\n" }
        }
      }
      result += "@@ -\(hunk.lowerBound + 1),\(hunk.count) +\(hunk.lowerBound + 1 + added),\(newCount) @@\n\(body)"
      added += newCount - hunk.count
    }
    return result
  }
}
