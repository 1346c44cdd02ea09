public import ByteStreams

/// An error in a report: `{"code": …, "message": …, "line": …, "column": …, "offset": …}`, without a place if it has none. The
/// message names the archive's entry.
extension CofferError: Codable {
  private enum CodingKeys: CodingKey { case code, message, line, column, offset }

  public func encode(to encoder: any Encoder) throws {
    let position = place.position
    try encoder.encode([
      "code": code.rawValue, "message": messageWithEntry, "line": IfPresent(position?.line),
      "column": IfPresent(position?.column), "offset": IfPresent(position?.offset),
    ])
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    var place = Place()
    if members.contains(.line) {
      place.position = TextPosition(
        offset: try members.decode(Int.self, forKey: .offset), line: try members.decode(Int.self, forKey: .line),
        column: try members.decode(Int.self, forKey: .column))
    }
    self.init(
      Code(rawValue: try members.decode(String.self, forKey: .code)), try members.decode(String.self, forKey: .message),
      at: place)
  }
}
