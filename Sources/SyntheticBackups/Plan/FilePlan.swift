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

/// A tiny photo: a baseline JPEG (ITU-T T.81) of 8 × 8 pixels of one colour, determined by its seed, stream and number.
///
///     SOI │ APP0 (JFIF) │ COM (its number) │ DQT │ SOF0 │ DHT │ DHT │ SOS │ three DC differences │ EOI
enum SyntheticPhoto {
  /// - Parameter stream: distinguishes the photos of different collections.
  static func bytes(seed: UInt64, stream: Int = 0, index: Int) -> [UInt8] {
    var random = RandomSource(seed: seed, stream: 0x9107_0000 + UInt64(stream), index: index)
    let comment = Array("made up, number \(index + 1), seed \(seed), kind \(stream)".utf8)
    var bytes: [UInt8] = [0xFF, 0xD8]
    append(0xE0, Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0], to: &bytes)
    append(0xFE, comment, to: &bytes)
    append(0xDB, [0] + Array(repeating: 8, count: 64), to: &bytes)
    // 8 bits per sample, 8 rows of 8, three components without subsampling.
    append(0xC0, [8, 0, 8, 0, 8, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0], to: &bytes)
    // Sixteen codes of four bits would leave none free, so there are twelve: one for each size of a DC difference.
    append(0xC4, [0x00, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] + Array(0...11), to: &bytes)
    // Blocks have only a DC coefficient: the one code is the end of the block.
    append(0xC4, [0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], to: &bytes)
    append(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0], to: &bytes)
    bytes += block([random.below(240) - 120, random.below(200) - 100, random.below(200) - 100])
    return bytes + [0xFF, 0xD9]
  }

  private static func append(_ marker: UInt8, _ content: [UInt8], to bytes: inout [UInt8]) {
    let length = content.count + 2
    bytes += [0xFF, marker, UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
    bytes += content
  }

  /// Returns the entropy-coded data: the DC coefficient and the end of block for each component.
  private static func block(_ coefficients: [Int]) -> [UInt8] {
    var bits: [Bool] = []
    func append(_ value: Int, count: Int) { for bit in (0..<count).reversed() { bits.append(value >> bit & 1 == 1) } }
    for coefficient in coefficients {
      let size = Int.bitWidth - abs(coefficient).leadingZeroBitCount
      append(size, count: 4)
      append(coefficient < 0 ? coefficient - 1 : coefficient, count: size)
      append(0, count: 1)
    }
    // Padded with ones. A zero follows a byte of ones, which would otherwise begin a marker.
    while bits.count % 8 != 0 { bits.append(true) }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: bits.count, by: 8) {
      let byte = bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
      bytes.append(byte)
      if byte == 0xFF { bytes.append(0) }
    }
    return bytes
  }
}
