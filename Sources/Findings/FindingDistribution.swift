/// The numbers of findings in equal parts of a document: at most 64 parts, whose size is the smallest power of two that suffices.
///
/// It has all findings whose places are known, no matter how many are kept in detail, and it depends only on them. In a report:
///
///     "distribution": {"partSize": 65536, "parts": [{"offset": 0, "error": 3}, {"offset": 131072, "error": 12, "note": 1}]}
public struct FindingDistribution: Sendable, Hashable {
  package static let partLimit = 64
  /// The size of a part is less than two to the power of this.
  package static let shiftLimit = 50

  /// The size of a part: two to the power of `shift` bytes.
  private var shift = 0
  private var parts: [Severity: [Int]] = [:]

  public init() {}

  /// Restores a distribution.
  package init(shift: Int, _ parts: [Severity: [Int]]) {
    self.shift = shift
    self.parts = parts.filter { !$0.value.isEmpty }
  }

  /// The size of a part in bytes.
  public var partSize: Int { 1 << shift }

  /// The number of findings whose places are known.
  public var total: Int { parts.values.reduce(0) { $1.reduce($0, Self.sum) } }

  /// Stored numbers may be as large as they like.
  private static func sum(_ a: Int, _ b: Int) -> Int {
    let (sum, overflows) = a.addingReportingOverflow(b)
    return overflows ? .max : sum
  }

  /// Returns the numbers of findings in the parts of the document, up to the last part that has any.
  public subscript(severity: Severity) -> [Int] { parts[severity] ?? [] }

  mutating func add(_ severity: Severity, at offset: Int, count: Int = 1) {
    while offset >> shift >= Self.partLimit { coarsen() }
    let part = max(0, offset >> shift)
    var counts = parts[severity] ?? []
    // Not two copies of the array.
    parts[severity] = nil
    while counts.count <= part { counts.append(0) }
    counts[part] = Self.sum(counts[part], count)
    parts[severity] = counts
  }

  mutating func merge(_ other: FindingDistribution) {
    var other = other
    while shift < other.shift { coarsen() }
    while other.shift < shift { other.coarsen() }
    for (severity, counts) in other.parts {
      for (part, count) in counts.enumerated() where count > 0 { add(severity, at: part << shift, count: count) }
    }
  }

  /// Makes parts so large that the document has at most 64.
  package func coarsened(forSize bytes: Int) -> FindingDistribution {
    var coarse = self
    while max(0, bytes - 1) >> coarse.shift >= Self.partLimit { coarse.coarsen() }
    return coarse
  }

  private mutating func coarsen() {
    shift += 1
    for (severity, counts) in parts {
      parts[severity] = stride(from: 0, to: counts.count, by: 2).map {
        Self.sum(counts[$0], $0 + 1 < counts.count ? counts[$0 + 1] : 0)
      }
    }
  }
}

extension FindingDistribution: Codable {
  private enum CodingKeys: CodingKey { case partSize, parts }

  /// A part with findings.
  private struct Part: Codable {
    let offset: Int
    var error: Int?
    var warning: Int?
    var note: Int?
  }

  public func encode(to encoder: any Encoder) throws {
    let parts = (0..<Self.partLimit).compactMap { index -> Part? in
      func count(_ severity: Severity) -> Int? {
        let counts = self[severity]
        return counts.indices.contains(index) && counts[index] > 0 ? counts[index] : nil
      }
      let part = Part(offset: index << shift, error: count(.error), warning: count(.warning), note: count(.note))
      return part.error == nil && part.warning == nil && part.note == nil ? nil : part
    }
    try encoder.encode(["partSize": partSize, "parts": parts])
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    func fail(_ key: CodingKeys, _ message: String) -> DecodingError {
      .dataCorruptedError(forKey: key, in: members, debugDescription: message)
    }
    let size = try members.decode(Int.self, forKey: .partSize)
    guard 1..<1 << Self.shiftLimit ~= size, size & (size - 1) == 0 else { throw fail(.partSize, "the number is no power of two") }
    shift = size.trailingZeroBitCount
    let parts = try members.decode([Part].self, forKey: .parts)
    // More than these could have a sum that no number holds.
    guard parts.count <= Self.partLimit else { throw fail(.parts, "there are too many parts") }
    for part in parts {
      guard part.offset >= 0, part.offset >> shift < Self.partLimit else { throw fail(.parts, "an offset is out of range") }
      for (severity, count) in [(Severity.error, part.error), (.warning, part.warning), (.note, part.note)] {
        guard let count else { continue }
        guard 0...1 << 50 ~= count else { throw fail(.parts, "a number is out of range") }
        add(severity, at: part.offset, count: count)
      }
    }
  }
}
