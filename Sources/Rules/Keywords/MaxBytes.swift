import ByteStreams
import JSONEvents

/// The most bytes of a string in UTF-8: the limit of file names and of columns in databases, which `maxLength`, in characters, can't
/// say.
///
///     {"fileName": {"maxBytes": 255}}       "ééé" has 3 characters and 6 bytes
extension Keyword {
  static let maxBytes = Keyword("maxBytes", .coffer) { _, member, _ throws(CofferError) in
    .own(.maxBytes(try member.value.expectCount()))
  }
}

extension Schema.Assertion {
  /// The most bytes of a string, if this is the keyword.
  package var mostBytes: Int? {
    guard case .own(let rule) = self, let limit = rule.limit, limit.measure == .bytes, case .count(let count) = limit.value else {
      return nil
    }
    return count
  }
}

extension Keyword.Rule {
  fileprivate static func maxBytes(_ count: Int) -> Keyword.Rule {
    let words = "at most \(count) \(count == 1 ? "byte" : "bytes") in UTF-8"
    let limit = Limit(measure: .bytes, comparison: .atMost, value: .count(count))
    return Keyword.Rule(.string, limit: limit, words: { _ in words }) { adder, keyword, slot in
      adder.append(slot, rule: adder.rule(keyword, words), .string) { $0.text.count <= count }
    }
  }
}
