import CPCRE2
package import JSONEvents

/// Captures the groups of one pattern, for use on one thread. Owns PCRE2's match data.
///
/// A match is abandoned after the same number of steps as in `Pattern.Matcher`.
package final class PatternCaptures {
  private let pattern: Pattern
  private let data: OpaquePointer
  private let context: OpaquePointer

  /// - Parameter pattern: made with `capturesGroups`.
  package init(_ pattern: Pattern) {
    guard let data = pcre2_match_data_create_from_pattern_8(pattern.code, nil), let context = pcre2_match_context_create_8(nil)
    else { fatalError("out of memory") }
    pcre2_set_heap_limit_8(context, 20_000)
    self.pattern = pattern
    self.data = data
    self.context = context
  }

  deinit {
    pcre2_match_data_free_8(data)
    pcre2_match_context_free_8(context)
  }

  /// Returns each group's range in `text`, or `nil` if the pattern doesn't match all of it. The range of an unset group is `nil`.
  /// `text` must be UTF-8.
  package func groups(in text: ByteView) -> [Range<Int>?]? {
    text.withUnsafeBytes { bytes in
      pcre2_set_match_limit_8(context, UInt32(clamping: 10_000 + 1_000 * min(bytes.count, 4096) + 10 * bytes.count))
      let start = bytes.bindMemory(to: UInt8.self).baseAddress
      // Use the interpreter, because it counts every step. Its speed doesn't matter: few texts are split.
      let options =
        UInt32(PCRE2_NO_UTF_CHECK) | UInt32(PCRE2_NO_JIT) | UInt32(PCRE2_ANCHORED) | UInt32(PCRE2_ENDANCHORED)
      let result = pcre2_match_8(pattern.code, start, bytes.count, 0, options, data, context)
      guard result > 0, let offsets = pcre2_get_ovector_pointer_8(data) else { return nil }
      return (1..<Int(pcre2_get_ovector_count_8(data))).map { group in
        let (from, to) = (offsets[2 * group], offsets[2 * group + 1])
        // Both are PCRE2_UNSET for an unset group, and are undefined after the last group that is set.
        return group < result && from >= 0 && to <= bytes.count && from <= to ? from..<to : nil
      }
    }
  }
}

extension Pattern {
  /// The number of groups that ``PatternCaptures`` reports.
  package var groupCount: Int {
    var count: UInt32 = 0
    pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_CAPTURECOUNT), &count)
    return Int(count)
  }
}
