/// An error in a report: `{"code": …, "message": …, "line": …, "column": …, "offset": …}`, without a place if it has none.
extension DocumentError: Codable {
  private enum CodingKeys: CodingKey { case code, message, line }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(code, forKey: .code)
    try members.encode(message, forKey: .message)
    try position?.encode(to: encoder)
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    code = try members.decode(String.self, forKey: .code)
    message = try members.decode(String.self, forKey: .message)
    position = members.contains(.line) ? try Position(from: decoder) : nil
  }
}
