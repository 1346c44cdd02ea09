/// A finding in a report:
///
///     {"code": …, "keyword": …, "severity": …, "message": …, "pointer": …, "line": …, "column": …, "offset": …,
///       "endLine": …, "endColumn": …, "endOffset": …, "schema": …, "excerpt": …,
///       "record": {"collection": "/expenses", "title": "expenses", "key": "28"}, "baseline": "known", "reason": …}
///
/// `entry`, the end, `excerpt`, `record`, `baseline` and `reason` occur only if they have values.
extension Finding: Codable {
  private enum CodingKeys: String, CodingKey {
    case code, keyword, severity, message, schemaLocation = "schema", excerpt, record, baseline, reason
  }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(code, forKey: .code)
    try members.encode(keyword, forKey: .keyword)
    try members.encode(severity, forKey: .severity)
    try members.encode(message, forKey: .message)
    try place.encode(to: encoder)
    try members.encode(schemaLocation, forKey: .schemaLocation)
    try members.encodeIfPresent(excerpt, forKey: .excerpt)
    try members.encodeIfPresent(record, forKey: .record)
    switch baseline {
    case .new: try members.encode("new", forKey: .baseline)
    case .known(let reason):
      try members.encode("known", forKey: .baseline)
      try members.encodeIfPresent(reason, forKey: .reason)
    case nil: break
    }
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      code: try members.decode(String.self, forKey: .code), keyword: try members.decode(String.self, forKey: .keyword),
      severity: try members.decode(Severity.self, forKey: .severity),
      message: try members.decode(String.self, forKey: .message), place: try Place(from: decoder),
      schemaLocation: try members.decode(String.self, forKey: .schemaLocation),
      excerpt: try members.decodeIfPresent(String.self, forKey: .excerpt),
      record: try members.decodeIfPresent(RecordIdentity.self, forKey: .record))
    switch try members.decodeIfPresent(String.self, forKey: .baseline) {
    case "new": baseline = .new
    case "known": baseline = .known(reason: try members.decodeIfPresent(String.self, forKey: .reason))
    default: break
    }
  }
}

extension Place: Codable {
  private enum CodingKeys: CodingKey { case entry, pointer, line, column, offset, endLine, endColumn, endOffset }

  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "entry": IfPresent(entry), "pointer": pointer, "line": line, "column": column, "offset": offset,
      "endLine": IfPresent(end?.line), "endColumn": IfPresent(end?.column), "endOffset": IfPresent(end?.offset),
    ])
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      pointer: try members.decode(String.self, forKey: .pointer), line: try members.decode(Int.self, forKey: .line),
      column: try members.decode(Int.self, forKey: .column), offset: try members.decode(Int.self, forKey: .offset))
    entry = try members.decodeIfPresent(String.self, forKey: .entry)
    try Self.check(line, column, offset, decoder)
    if members.contains(.endOffset) {
      end = End(
        line: try members.decode(Int.self, forKey: .endLine), column: try members.decode(Int.self, forKey: .endColumn),
        offset: try members.decode(Int.self, forKey: .endOffset))
      if let end { try Self.check(end.line, end.column, end.offset, decoder) }
    }
  }

  private static func check(_ line: Int, _ column: Int, _ offset: Int, _ decoder: any Decoder) throws {
    let largest = 1 << 53
    guard (1...largest).contains(line), (1...largest).contains(column), (0...largest).contains(offset) else {
      throw DecodingError.invalid("the place is out of range", at: decoder.codingPath)
    }
  }
}
