import Foundation

/// Returns a document as Apple's apps write it: decoded and encoded by Foundation.
public func appleJSON(_ text: String) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
  return String(decoding: try encoder.encode(JSONDecoder().decode(Tree.self, from: Data(text.utf8))), as: UTF8.self)
}

private indirect enum Tree: Codable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([Tree])
  case object([String: Tree])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self =
      if container.decodeNil() {
        .null
      } else if let value = try? container.decode(Bool.self) {
        .boolean(value)
      } else if let value = try? container.decode(Int64.self) {
        .integer(value)
      } else if let value = try? container.decode(Double.self) {
        .number(value)
      } else if let value = try? container.decode(String.self) {
        .string(value)
      } else if let value = try? container.decode([Tree].self) {
        .array(value)
      } else {
        .object(try container.decode([String: Tree].self))
      }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .boolean(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}
