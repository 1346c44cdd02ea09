import ByteStreams
import Findings
import JSONEvents

/// Entries of the container that holds the document.
extension KeywordReader {
  /// Reads `true`, a prefix, or an object with more options.
  func containerEntry(_ value: RuleValue) throws(CofferError) -> Schema.ContainerEntry {
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
