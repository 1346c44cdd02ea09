import ByteStreams
import Findings
import JSONEvents

/// What a dialect of JSON Schema doesn't apply: keywords and formats that it doesn't have, and the siblings of `$ref`. The standard
/// ignores all of them; a warning says so, because their authors expect a check.
///
///     "const" in draft 4, "primaryKey", "tpye"  ignored-keyword     warning
///     "foo", which is like no keyword           ignored-keyword     note, once for each name
///     "minLength" beside "$ref" up to draft 7   ignored-sibling     warning
///     "then" without "if"                       ignored-keyword     warning
///     "format": "datetime"                      ignored-format      warning
///     "format": "date" in draft 2020-12         unasserted-format   warning, unless the caller wants no format checked
///     "title", "x-order", "$defs"               nothing: they assert nothing anywhere
///
/// Coffer's own dialect refuses unknown keywords and formats instead.
extension SchemaReader {
  /// Passes over a keyword that the dialect doesn't evaluate.
  mutating func passOver(_ member: RuleValue.Member, _ reader: KeywordReader) {
    let name = member.key
    let draft = reader.dialect.edition.name
    // Public schemas say in `since` which version of a program has a member, as text.
    let keyword = Keyword.named(name)
    if Keyword.assertsNothing(name) || name == "since" && member.value.integer == nil { return }
    let isDescriptor = name == "backup" && reader.schema.pointer.isEmpty && member.value["name"] != nil
    if let introduction = keyword?.since, introduction > reader.dialect.edition {
      ignore(member, reader, "'\(name)' is not a keyword of \(draft): \(introduction.name) introduced it")
    } else if let successor = keyword?.successor {
      ignore(member, reader, "'\(name)' is not a keyword of \(draft); \(successor.advice)")
    } else if isDescriptor || keyword?.isOwn == true {
      ignore(
        member, reader,
        // Without them, findings are errors with the usual codes.
        severity: keyword?.group == .grading ? .note : .warning,
        "'\(name)' is Coffer's keyword, which \(draft) doesn't have; to apply it, use \"$schema\": \"\(Dialect.cofferURI)\"")
    } else if keyword != nil {
      ignore(member, reader, "'\(name)' belongs to a vocabulary that the meta-schema leaves out")
    } else {
      let nearest = unknownNames.keyword(nearestTo: name, in: reader.dialect)
      let suggestion = nearest.map { "; did you mean '\($0)'?" } ?? ""
      let isRule = nearest.map { !Keyword.assertsNothing($0) } ?? false
      ignore(
        member, reader, severity: isRule ? .warning : .note, "'\(name)' is not a keyword of \(draft)\(suggestion)")
    }
  }

  /// Passes over a member beside `$ref`, which is alone before 2019-09.
  mutating func passOverSibling(_ member: RuleValue.Member, _ reader: KeywordReader) {
    guard Keyword.named(member.key)?.isOn(in: reader.dialect) == true else { return passOver(member, reader) }
    if Keyword.assertsNothing(member.key) { return }
    ignore(
      member, reader, code: "ignored-sibling",
      "'\(member.key)' beside $ref is ignored before draft 2019-09; put both into an allOf")
  }

  mutating func ignore(
    _ member: RuleValue.Member, _ reader: KeywordReader, code: String = "ignored-keyword", severity: Severity = .warning,
    _ message: String
  ) {
    let place = reader.place(of: member.value)
    // The author of the rules can't change those.
    if MetaSchema.isBuiltIn(documents.resources[reader.resource].uri.description) { return }
    let origin = Schema.Origin(document: documents.name(of: place), pointer: member.value.pointer, position: member.keyPosition)
    let finding = origin.finding(code: code, keyword: member.key, severity: severity, message)
    if severity > .note || !unknownNames.holds(finding, on: member.key) { warn(finding) }
  }
}

/// Names that are no keywords, or no formats. Each is compared with the known ones only once, and each keyword is noted only once.
struct UnknownNames {
  /// The number of names that are compared and noted. Real schemas have a few dozen.
  private static let limit = 200

  private struct Key: Hashable {
    let name: String
    /// `nil` for a format.
    let dialect: Dialect?
  }

  private var keywords: [Dialect: [String]] = [:]
  private var nearest: [Key: String?] = [:]
  /// The first note on each keyword, in the order of findings.
  private(set) var notes: [String: Finding] = [:]

  /// Returns the keyword of a dialect that a name was most likely meant to be.
  mutating func keyword(nearestTo name: String, in dialect: Dialect) -> String? {
    let known = keywords[dialect] ?? Keyword.names(in: dialect)
    keywords[dialect] = known
    return nearest(Key(name: name, dialect: dialect), among: known)
  }

  /// Returns the format that a name was most likely meant to be.
  mutating func format(nearestTo name: String, among known: [String]) -> String? {
    nearest(Key(name: name, dialect: nil), among: known)
  }

  private mutating func nearest(_ key: Key, among known: [String]) -> String? {
    if let nearest = nearest[key] { return nearest }
    guard nearest.count < Self.limit else { return nil }
    var found = Suggestion.nearest(to: key.name, among: known)
    // One edit turns a short word into many others.
    if key.name.count < 3, found?.lowercased() != key.name.lowercased() { found = nil }
    nearest[key] = .some(found)
    return found
  }

  /// Keeps the first note on a keyword. Returns false if there are too many keywords.
  mutating func holds(_ note: Finding, on keyword: String) -> Bool {
    if let known = notes[keyword] {
      notes[keyword] = min(known, note)
    } else if notes.count < Self.limit {
      notes[keyword] = note
    } else {
      return false
    }
    return true
  }
}
