/// A finding in a report:
///
///     {"code": …, "keyword": …, "severity": …, "message": …, "pointer": …, "line": …, "column": …, "offset": …,
///       "schema": …, "excerpt": …}
///
/// `entry` and `excerpt` occur only if they have values.
extension Finding: Codable {
  private enum CodingKeys: String, CodingKey { case code, keyword, severity, message, schemaLocation = "schema", excerpt }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(code, forKey: .code)
    try members.encode(keyword, forKey: .keyword)
    try members.encode(severity, forKey: .severity)
    try members.encode(message, forKey: .message)
    try place.encode(to: encoder)
    try members.encode(schemaLocation, forKey: .schemaLocation)
    try members.encodeIfPresent(excerpt, forKey: .excerpt)
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      code: try members.decode(String.self, forKey: .code), keyword: try members.decode(String.self, forKey: .keyword),
      severity: try members.decode(Severity.self, forKey: .severity),
      message: try members.decode(String.self, forKey: .message), place: try Place(from: decoder),
      schemaLocation: try members.decode(String.self, forKey: .schemaLocation),
      excerpt: try members.decodeIfPresent(String.self, forKey: .excerpt))
  }
}
