/// A baseline's entry: the members of its identity, `count` if it isn't 1, and `reason` if it has one.
extension Baseline.Entry: Codable {
  private enum CodingKeys: CodingKey { case count, reason }

  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "code": identity.code, "entry": IfPresent(identity.entry), "collection": IfPresent(identity.collection),
      "key": IfPresent(identity.key), "pointer": identity.pointer, "count": IfPresent(count == 1 ? nil : count),
      "reason": IfPresent(reason),
    ])
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    let count = try members.decodeIfPresent(Int.self, forKey: .count) ?? 1
    self.init(
      try FindingIdentity(from: decoder), count: count, reason: try members.decodeIfPresent(String.self, forKey: .reason))
    guard (1...Baseline.limit).contains(count) else {
      throw DecodingError.dataCorruptedError(
        forKey: .count, in: members, debugDescription: "the number is not in 1...\(Baseline.limit)")
    }
  }
}
