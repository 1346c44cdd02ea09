import Foundation

/// A JSON value as read by Foundation.
///
/// Uses `JSONSerialization` because it decodes the whole document: `JSONDecoder` skips strings that are not requested and members
/// with a repeated key.
enum FoundationValue {
  case null
  case boolean(Bool)
  /// `isDecimal`: the number was converted from a `Decimal` of at most 38 digits.
  case number(Double, isDecimal: Bool)
  case string(String)
  case array([FoundationValue])
  case object([String: FoundationValue])

  static func read(_ document: [UInt8]) throws -> FoundationValue {
    try FoundationValue(JSONSerialization.jsonObject(with: Data(document), options: .fragmentsAllowed))
  }

  private init(_ value: Any) throws {
    switch value {
    case is NSNull: self = .null
    case let text as String: self = .string(text)
    case let number as NSNumber:
      let type = String(cString: number.objCType)
      // A Boolean is an NSNumber, too.
      self =
        type == "c" || type == "B"
        ? .boolean(number.boolValue) : .number(number.doubleValue, isDecimal: number is NSDecimalNumber)
    case let items as [Any]: self = .array(try items.map(FoundationValue.init))
    case let members as [String: Any]: self = .object(try members.mapValues(FoundationValue.init))
    default: preconditionFailure("no JSON value: \(type(of: value))")
    }
  }
}
