import ByteStreams
import Findings
import JSONEvents

/// Entries of the container that holds the document.
extension KeywordReader {
  /// Reads `true`, a prefix, or an object with more options.
  func containerEntry(_ value: JSONValue.Located, _ pointer: String) throws(CofferError) -> Schema.ContainerEntry {
    var entry = Schema.ContainerEntry()
    if value.boolean == true { return entry }
    if let prefix = value.string {
      entry.prefix = prefix
      return entry
    }
    guard value.object != nil else {
      throw CofferError(
        rules: "containerEntry must be true, a prefix such as \"photos/\", or an object", at: pointer, value.position)
    }
    try checkMembers(value, pointer, known: ["prefix", "size", "digest"])
    if let prefix = value["prefix"] {
      guard let text = prefix.string else {
        throw CofferError(
          rules: "prefix must be a string, such as \"photos/\"", at: pointer + "/prefix", prefix.position)
      }
      entry.prefix = text
    }
    entry.size = try value["size"].map { field throws(CofferError) in
      try self.field(field, pointer + "/size", code: "size", .warning, known: [])
    }
    if let digest = value["digest"] {
      entry.digest = try field(digest, pointer + "/digest", code: "checksum", .error, known: ["algorithm"])
      if let name = digest["algorithm"] {
        guard let algorithm = name.string.flatMap(DigestAlgorithm.init(rawValue:)) else {
          throw CofferError(rules: "algorithm must be md5 or sha256", at: pointer + "/digest/algorithm", name.position)
        }
        entry.algorithm = algorithm
      }
    }
    return entry
  }

  /// Reads a sibling's name, or an object with the name and its own grading.
  private func field(
    _ value: JSONValue.Located, _ pointer: String, code: String, _ severity: Severity, known: [String]
  ) throws(CofferError) -> Schema.ContainerEntry.Field {
    var reader = self
    reader.setGrading(Schema.Grading(severity: severity))
    if value.object != nil {
      try checkMembers(value, pointer, known: ["field"] + known)
      reader.schema = value
      try reader.readGrading()
    }
    guard let name = (value["field"] ?? value).string, !name.isEmpty else {
      throw CofferError(rules: "expected the name of a sibling field", at: pointer, value.position)
    }
    var grading = reader.grading
    grading.code = grading.code ?? code
    return Schema.ContainerEntry.Field(
      name: name, grading: grading, origin: Schema.Origin(document: nil, pointer: pointer, position: value.position))
  }
}
