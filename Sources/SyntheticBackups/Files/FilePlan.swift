import ByteStreams
package import Rules

/// Files that the records of a collection name, one per record (`containerEntry`).
struct FilePlan: Sendable {
  var collection: Int
  /// The member that names the file.
  var field: String
  var entry: Schema.ContainerEntry
  /// The finding code for a missing file.
  var code: String
  var location: String
}

/// Computes a digest of bytes as lowercase hexadecimal digits. The caller supplies it: this module has no cryptography.
package typealias FileDigest = @Sendable (DigestAlgorithm, [UInt8]) -> String

/// Finds the rules for members that name files.
struct FileSurvey {
  private let rules: RuleDocument?
  private(set) var found: [(path: [String], entry: Schema.ContainerEntry, keyword: Schema.Keyword)] = []
  private var seen: Set<String> = []

  /// Creates an empty survey.
  init() { rules = nil }

  init(_ rules: RuleDocument) {
    self.rules = rules
    walk(rules.root, [], 0)
  }

  private mutating func walk(_ schema: Int, _ path: [String], _ depth: Int) {
    guard let rules, path.count < 8, depth < 64, seen.insert("\(schema) \(path)").inserted else { return }
    for keyword in rules.schemas[schema].keywords {
      switch keyword.assertion {
      case .reference(let target), .dynamicReference(let target, _): walk(target, path, depth + 1)
      case .allOf(let parts): for part in parts { walk(part, path, depth + 1) }
      case .condition(_, let then, let otherwise):
        for part in [then, otherwise].compactMap({ $0 }) { walk(part, path, depth + 1) }
      case .members(let members): for member in members.named { walk(member.schema, path + [member.name], depth + 1) }
      case .items(_, let rest): if let rest { walk(rest, path + ["*"], depth + 1) }
      case .containerEntry(let entry): if !found.contains(where: { $0.path == path }) { found.append((path, entry, keyword)) }
      default: break
      }
    }
  }
}

extension PlanCompiler {
  /// Makes the size and digest members of a record describe the photo generated for it.
  func settleFiles(_ digest: @escaping FileDigest, limit: Int?) throws(CofferError) {
    plan.digest = digest
    for (path, entry, keyword) in files.found {
      guard let field = path.last,
        let collection = plan.collections.firstIndex(where: { $0.array >= 0 && $0.tokens + ["*", field] == path })
      else { throw .impossible(path.map { "/" + $0 }.joined(), "only a direct member of a record can name a file") }
      let number = Int32(plan.files.count)
      plan.files.append(
        FilePlan(
          collection: collection, field: field, entry: entry, code: keyword.grading.code ?? "file-missing",
          location: keyword.origin.location))
      let (size, hash) = (add(.fileSize(number)), add(.fileDigest(number)))
      if let limit { plan.collections[collection].most = min(plan.collections[collection].most, max(2, limit)) }
      for branch in plan.objects[Int(plan.collections[collection].object)].branches {
        for member in plan.branches[Int(branch)].members {
          let name = plan.names[Int(plan.members[Int(member)].name)]
          guard [field, entry.size?.name, entry.digest?.name].contains(name) else { continue }
          if name == entry.size?.name { plan.members[Int(member)].generator = size }
          if name == entry.digest?.name { plan.members[Int(member)].generator = hash }
          (plan.members[Int(member)].absent, plan.members[Int(member)].null) = (0, 0)
        }
      }
    }
  }
}
