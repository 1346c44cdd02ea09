import Coffer
import Foundation
import TestSupport
import Testing

/// Nearly all of the apps read backups with Foundation's decoder: the formats' rules accept and refuse the same values.
@Suite struct AppleDecoderTests {
  enum Kind: String, CaseIterable, Sendable { case int64, double, float, base64, date }

  static let values: [(Kind, [String])] = [
    (.int64, ["1", "1.0", "1e2", "-0", "9223372036854775807", "-9223372036854775808"]),
    (.int64, ["1.5", "9223372036854775808", "-9223372036854775809", "1e400"]),
    (.double, ["0.1", "1e308", "1.7976931348623157e308", "1.79769313486231575e308", "-1.797693134862315807e308"]),
    (.double, ["0e-400", "2.4703282292062328e-324", "5e-324"]),
    (.double, ["1.797693134862315809e308", "1e309", "-1e400"]),
    (.float, ["0.1", "16777217", "3.4028235e38", "3.4028235677e38"]),
    (.float, ["3.4028236e38", "1e39", "-1e39"]),
    (.base64, [#""""#, #""QQ==""#, #""QUE=""#, #""QUFB""#, #""QR==""#]),
    (.base64, [#""QQ=""#, #""QQ""#, #""QUFBQ""#, #""QU FB""#, #""-_==""#, #""Q===""#, #""QQ==QQ==""#]),
    (
      .date,
      [
        #""2026-01-20T07:30:12Z""#, #""2026-01-20T07:30:12+01:00""#, #""2026-01-20T07:30:12+0100""#,
        #""2026-01-20T07:30:12-0530""#, #""2026-01-20T07:30:12.5Z""#, #""2026-01-20T07:30:12.123456789-05:30""#,
        #""2026-01-20T07:30:12+02""#, #""2026-01-20T07:30:12.5-02""#, #""2026-01-20T07:30:12+18:00""#,
      ]
    ),
    (.date, [#""2026-01-20T07:30:12.1234567890Z""#, #""2026-01-20T07:30:12.Z""#, #""2026-01-20T07:30:12+19:00""#]),
    (.date, [#""2026-01-20t07:30:12Z""#, #""2026-01-20 07:30:12Z""#, #""2026-01-20T07:30:12""#, #""2026-13-20T07:30:12Z""#]),
  ]

  @Test(arguments: values)
  func `the rules accept exactly what Foundation's decoder accepts`(_ kind: Kind, _ values: [String]) throws {
    for value in values {
      #expect(try passes(kind, value) == decodes(kind, value), "\(kind) \(value)")
    }
  }

  /// The one exception: the decoder refuses numbers that round to 0. No app writes them, and a rule for them would slow down all
  /// others. Only a Float has one.
  @Test(arguments: [(Kind.double, "1e-400"), (.double, "-1e-400"), (.double, "2.4703282292062327e-324")])
  func `the rules accept numbers too small for the decoder`(_ kind: Kind, _ value: String) throws {
    #expect(!decodes(kind, value))
    #expect(try passes(kind, value))
  }

  /// Uses the formats' own schemas, so that the built-in rule documents are tested.
  private func passes(_ kind: Kind, _ value: String) throws -> Bool {
    let (example, path) =
      switch kind {
      case .int64: ("swiff", "/people/0/avatarType/initials/colorIndex")
      case .double: ("swiff", "/people/0/balance")
      case .float: ("aquavate", "/bottles/0/scaleFactor")
      case .base64: ("swiff", "/transactions/0/receiptData")
      case .date: ("keeptrack", "/entries/0/date")
      }
    return try Validating.report(on: FormatSheet.changed(example, [FormatSheet.Mutation(path, value)])).isValid
  }

  private func decodes(_ kind: Kind, _ value: String) -> Bool {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let text = Data("[\(value)]".utf8)
    return switch kind {
    case .int64: (try? decoder.decode([Int64].self, from: text)) != nil
    case .double: (try? decoder.decode([Double].self, from: text)) != nil
    case .float: (try? decoder.decode([Float].self, from: text)) != nil
    case .base64: (try? decoder.decode([Data].self, from: text)) != nil
    case .date: (try? decoder.decode([Date].self, from: text)) != nil
    }
  }
}
