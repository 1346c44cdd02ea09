import ByteStreams
import Findings
import JSONEvents

/// Strings that name entries of the ZIP that holds the document.
extension Keyword {
  static let containerEntry = Keyword("containerEntry", .coffer) { schemas, member, reader throws(CofferError) in
    try schemas.containerEntry(member.value, reader)
  }
}

extension Schema {
  /// A string that names an entry of the document's container, and the sibling fields that describe that entry.
  package struct ContainerEntry: Sendable {
    /// The prefix of the entry's name before the string.
    package var prefix = ""
    package var size: Field?
    package var digest: Field?
    package var algorithm = DigestAlgorithm.md5

    /// A field of the same object.
    package struct Field: Sendable {
      package var name: String
      package var grading: Grading
      /// The place of the rule about it.
      package var origin: Origin
    }
  }
}

extension KeywordReader {
  /// Reads `true`, a prefix, or an object with more options.
  fileprivate func containerEntry(_ value: RuleValue) throws(CofferError) -> Schema.ContainerEntry {
    var entry = Schema.ContainerEntry()
    if value.boolean == true { return entry }
    if let prefix = value.string {
      entry.prefix = prefix
      return entry
    }
    guard value.isObject else { throw value.error("containerEntry must be true, a prefix such as \"photos/\", or an object") }
    try checkMembers(value, known: ["prefix", "size", "digest"])
    if let prefix = value["prefix"] { entry.prefix = try prefix.expectString() }
    entry.size = try value["size"].map { size throws(CofferError) in try field(size, code: "size", .warning, known: []) }
    if let digest = value["digest"] {
      entry.digest = try field(digest, code: "checksum", .error, known: ["algorithm"])
      if let name = digest["algorithm"] { entry.algorithm = try name.expectChoice(DigestAlgorithm.allCases) }
    }
    return entry
  }

  /// Reads a sibling's name, or an object with the name and its own grading.
  private func field(
    _ value: RuleValue, code: String, _ severity: Severity, known: [String]
  ) throws(CofferError) -> Schema.ContainerEntry.Field {
    var reader = self
    reader.grading = Schema.Grading(severity: severity)
    if value.isObject {
      try checkMembers(value, known: ["field"] + known)
      reader.schema = value
      try reader.readGrading()
    }
    guard let name = (value["field"] ?? value).string, !name.isEmpty else {
      throw value.error("expected the name of a sibling field")
    }
    var grading = reader.grading
    grading.code = grading.code ?? code
    return Schema.ContainerEntry.Field(
      name: name, grading: grading, origin: Schema.Origin(document: nil, pointer: value.pointer, position: value.json.position))
  }
}

extension SchemaReader {
  /// Reads a container entry. With its own grading, it becomes the part of an `allOf`.
  fileprivate mutating func containerEntry(_ value: RuleValue, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion {
    let assertion = Schema.Assertion.containerEntry(try reader.containerEntry(value))
    guard value.isObject else { return assertion }
    var entry = reader
    entry.schema = value
    try entry.readGrading()
    return .allOf([add(part("containerEntry", value, assertion, entry))])
  }
}

extension Keyword.Rule {
  static func containerEntry(_ entry: Schema.ContainerEntry) -> Keyword.Rule {
    let words = "names an entry of the archive" + (entry.prefix.isEmpty ? "" : ", with the prefix \(entry.prefix)")
    return Keyword.Rule(.string, words: { _ in words }) { adder, keyword, slot throws(CofferError) in
      try adder.refuseInBranches(keyword, slot)
      adder.addEntry(entry, keyword, slot)
    }
  }
}

extension KeywordAdder {
  fileprivate func addEntry(_ entry: Schema.ContainerEntry, _ keyword: Schema.Keyword, _ slot: UInt16) {
    func operand(_ field: Schema.ContainerEntry.Field?) -> RuleProgram.EntryOperand.Field? {
      guard let field else { return nil }
      let data = Schema.DataReference(origin: .ancestor(levels: 1, field: field.name), text: field.name)
      draft.dataLookups.append((data, slot, keyword))
      var named = keyword
      named.grading = field.grading
      named.origin.pointer = field.origin.pointer
      return RuleProgram.EntryOperand.Field(name: field.name, rule: rule(named, "the entry's declared value"))
    }
    var named = keyword
    named.grading.code = keyword.grading.code ?? "file-missing"
    let entry = RuleProgram.EntryOperand(
      prefix: entry.prefix, size: operand(entry.size), digest: operand(entry.digest), algorithm: entry.algorithm)
    append(.entry, slot, operand: constant(entry, in: \.entries), rule: rule(named, "an entry's name"), .string)
  }
}
