import Foundation
import JSONEvents
import TestSupport
import Testing

/// JSONTestSuite, where it lies beside the repository.
private enum ParsingSuite {
  static let folder = Checkout.shared.appending(path: "conformance/json-parsing")
  static let names = Checkout.names(in: folder)

  static func dump(_ name: String, chunkSize: Int?) throws -> EventDump {
    try EventDump(try Data(contentsOf: folder.appending(path: name)), limits: ReaderLimits(chunkSize: chunkSize))
  }
}

@Suite(.enabled(if: !ParsingSuite.names.isEmpty, "JSONTestSuite does not lie at ../shared/conformance/json-parsing"))
struct ConformanceTests {
  /// What the suite leaves to the parser. Numbers are kept as text, so none is too large; text must be Unicode, so no half characters.
  private static let decisions: [String: JSONReadError.Code?] = [
    "number_double_huge_neg_exp": nil, "number_huge_exp": nil, "number_neg_int_huge_exp": nil, "number_pos_double_huge_exp": nil,
    "number_real_neg_overflow": nil, "number_real_pos_overflow": nil, "number_real_underflow": nil, "number_too_big_neg_int": nil,
    "number_too_big_pos_int": nil, "number_very_big_negative_int": nil,
    "object_key_lone_2nd_surrogate": .encoding, "string_1st_surrogate_but_2nd_missing": .encoding,
    "string_1st_valid_surrogate_2nd_invalid": .encoding, "string_incomplete_surrogate_and_escape_valid": .encoding,
    "string_incomplete_surrogate_pair": .encoding, "string_incomplete_surrogates_escape_valid": .encoding,
    "string_invalid_lonely_surrogate": .encoding, "string_invalid_surrogate": .encoding,
    "string_inverted_surrogates_U+1D11E": .encoding, "string_lone_second_surrogate": .encoding,
    "string_invalid_utf-8": .encoding, "string_iso_latin_1": .encoding, "string_lone_utf8_continuation_byte": .encoding,
    "string_not_in_unicode_range": .encoding, "string_overlong_sequence_2_bytes": .encoding,
    "string_overlong_sequence_6_bytes": .encoding, "string_overlong_sequence_6_bytes_null": .encoding,
    "string_truncated-utf-8": .encoding, "string_UTF-8_invalid_sequence": .encoding, "string_UTF8_surrogate_U+D800": .encoding,
    "string_UTF-16LE_with_BOM": .encoding, "string_utf16BE_no_BOM": .encoding, "string_utf16LE_no_BOM": .encoding,
    "structure_500_nested_arrays": nil, "structure_UTF-8_BOM_empty_object": nil,
  ]

  @Test(arguments: [nil, 1, 7])
  func soundDocumentsAreAccepted(chunkSize: Int?) throws {
    let names = ParsingSuite.names.filter { $0.hasPrefix("y_") }
    #expect(!names.isEmpty)
    for name in names {
      #expect(try ParsingSuite.dump(name, chunkSize: chunkSize).error == nil, "\(name)")
    }
  }

  @Test(arguments: [nil, 1, 7])
  func brokenDocumentsAreRejectedWithAPlace(chunkSize: Int?) throws {
    let names = ParsingSuite.names.filter { $0.hasPrefix("n_") }
    #expect(!names.isEmpty)
    for name in names {
      let dump = try ParsingSuite.dump(name, chunkSize: chunkSize)
      let size = try Data(contentsOf: ParsingSuite.folder.appending(path: name)).count
      let error = try #require(dump.error, "\(name)")
      #expect((0...size).contains(error.position.offset), "\(name)")
      #expect(try dump == ParsingSuite.dump(name, chunkSize: nil), "\(name)")
    }
  }

  @Test(arguments: [nil, 1, 7])
  func undecidedDocumentsAreDecided(chunkSize: Int?) throws {
    for name in ParsingSuite.names where name.hasPrefix("i_") {
      let decision = try #require(Self.decisions[String(name.dropFirst(2).dropLast(5))], "\(name) needs a decision")
      #expect(try ParsingSuite.dump(name, chunkSize: chunkSize).error?.code == decision, "\(name)")
    }
  }
}
