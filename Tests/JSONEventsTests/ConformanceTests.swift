import ByteStreams
import Foundation
import JSONEvents
import TestSupport
import Testing

/// JSONTestSuite, if it is next to the repository.
enum ParsingSuite {
  static let folder = Checkout.conformance.appending(path: "json-parsing")
  static let names = Checkout.names(in: folder)

  static func dump(_ name: String, chunkSize: Int?) throws -> EventDump {
    try EventDump(try Data(contentsOf: folder.appending(path: name)), limits: ReaderLimits(chunkSize: chunkSize))
  }
}

@Suite(.enabled(if: !ParsingSuite.names.isEmpty, "JSONTestSuite is missing: run Scripts/conformance.sh"))
struct ConformanceTests {
  /// What the reader decides where the suite leaves the choice to the parser, and why.
  private struct Decision {
    /// `nil`: the documents are accepted.
    let code: CofferError.Code?
    let reason: String
    let names: [String]
  }

  private static let decisions = [
    Decision(
      code: nil, reason: "numbers keep their text, so none is too large or too small",
      names: [
        "number_double_huge_neg_exp", "number_huge_exp", "number_neg_int_huge_exp", "number_pos_double_huge_exp",
        "number_real_neg_overflow",
        "number_real_pos_overflow", "number_real_underflow", "number_too_big_neg_int", "number_too_big_pos_int",
        "number_very_big_negative_int",
      ]),
    Decision(
      code: .encoding, reason: "an escape for half a surrogate pair represents no character: there is no text for it",
      names: [
        "object_key_lone_2nd_surrogate", "string_1st_surrogate_but_2nd_missing", "string_1st_valid_surrogate_2nd_invalid",
        "string_incomplete_surrogate_and_escape_valid", "string_incomplete_surrogate_pair",
        "string_incomplete_surrogates_escape_valid",
        "string_invalid_lonely_surrogate", "string_invalid_surrogate", "string_inverted_surrogates_U+1D11E",
        "string_lone_second_surrogate",
      ]),
    Decision(
      code: .encoding,
      reason: "RFC 8259 section 8.1: JSON is UTF-8; replacing anything else would silently lose data",
      names: [
        "string_invalid_utf-8", "string_iso_latin_1", "string_lone_utf8_continuation_byte", "string_not_in_unicode_range",
        "string_overlong_sequence_2_bytes", "string_overlong_sequence_6_bytes", "string_overlong_sequence_6_bytes_null",
        "string_truncated-utf-8", "string_UTF-8_invalid_sequence", "string_UTF8_surrogate_U+D800",
      ]),
    Decision(
      code: .encoding, reason: "the same; UTF-16 and UTF-32 are named in the message",
      names: ["string_UTF-16LE_with_BOM", "string_utf16BE_no_BOM", "string_utf16LE_no_BOM"]),
    Decision(code: nil, reason: "by default, 512 brackets may be open", names: ["structure_500_nested_arrays"]),
    Decision(
      code: nil, reason: "RFC 8259 section 8.1: parsers may ignore a byte order mark; Windows programs write it",
      names: ["structure_UTF-8_BOM_empty_object"]),
  ]

  @Test(arguments: [nil, 1, 7])
  func `valid documents are accepted`(chunkSize: Int?) throws {
    let names = ParsingSuite.names.filter { $0.hasPrefix("y_") }
    #expect(!names.isEmpty)
    for name in names {
      #expect(try ParsingSuite.dump(name, chunkSize: chunkSize).error == nil, "\(name)")
    }
  }

  @Test(arguments: [nil, 1, 7])
  func `broken documents are rejected with their recorded place`(chunkSize: Int?) throws {
    let names = ParsingSuite.names.filter { $0.hasPrefix("n_") }
    #expect(!names.isEmpty)
    for name in names {
      let dump = try ParsingSuite.dump(name, chunkSize: chunkSize)
      let size = try Data(contentsOf: ParsingSuite.folder.appending(path: name)).count
      let error = try #require(dump.error, "\(name)")
      #expect((0...size).contains(error.position.offset), "\(name)")
      let place = ParsingSuitePlaces.all[String(name.dropFirst(2).dropLast(5))]
      #expect("\(error.code.rawValue) \(error.position.line):\(error.position.column)" == place, "\(name)")
      #expect(try dump == ParsingSuite.dump(name, chunkSize: nil), "\(name)")
    }
  }

  @Test(arguments: [nil, 1, 7])
  func `optional documents are accepted or rejected as decided`(chunkSize: Int?) throws {
    for name in ParsingSuite.names where name.hasPrefix("i_") {
      let isMeant = { (decision: Decision) in decision.names.contains(String(name.dropFirst(2).dropLast(5))) }
      let decision = try #require(Self.decisions.first(where: isMeant), "\(name) needs a decision")
      #expect(try ParsingSuite.dump(name, chunkSize: chunkSize).error?.code == decision.code, "\(name): \(decision.reason)")
    }
  }
}
