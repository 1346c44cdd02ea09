import CPCRE2
package import JSONEvents

/// A compiled regular expression. Owns its PCRE2 code.
///
/// Matching is bounded: past a million steps of backtracking, or 20 MB of memory for them, it is given up (`Outcome.tooCostly`).
package final class Pattern: @unchecked Sendable {
  // @unchecked: PCRE2 code is read-only once it is compiled; the match data, which is not, belongs to a Matcher.
  private let code: OpaquePointer
  package let source: String

  package struct CompileError: Error {
    package let message: String
    /// In bytes of the pattern.
    package let offset: Int
  }

  package init(_ source: String) throws(CompileError) {
    self.source = source
    var errorCode: CInt = 0
    var errorOffset = 0
    let bytes = Array(source.utf8)
    // What ECMA-262 means by the same text: `$` is the very end, `\uXXXX` a character, `[]` a class without members.
    let options = UInt32(PCRE2_UTF) | UInt32(PCRE2_DOLLAR_ENDONLY) | UInt32(PCRE2_ALT_BSUX) | UInt32(PCRE2_ALLOW_EMPTY_CLASS)
    let code = bytes.withUnsafeBufferPointer {
      pcre2_compile_8($0.baseAddress, bytes.count, options, &errorCode, &errorOffset, nil)
    }
    guard let code else {
      var text = [UInt8](repeating: 0, count: 256)
      let length = pcre2_get_error_message_8(errorCode, &text, text.count)
      throw CompileError(message: String(decoding: text.prefix(max(0, Int(length))), as: UTF8.self), offset: errorOffset)
    }
    // Without a JIT on this platform the interpreter serves.
    pcre2_jit_compile_8(code, UInt32(PCRE2_JIT_COMPLETE))
    self.code = code
  }

  deinit { pcre2_code_free_8(code) }

  package enum Outcome: Sendable { case match, noMatch, tooCostly }

  /// What one thread needs to match patterns with: PCRE2's match data and limits.
  package final class Matcher {
    private let data: OpaquePointer
    private let context: OpaquePointer
    /// The compiled code's own stack. It grows to a megabyte; what needs more is interpreted, which is slower and keeps to the limits below.
    private let stack: OpaquePointer?

    package init() {
      guard let data = pcre2_match_data_create_8(1, nil), let context = pcre2_match_context_create_8(nil) else {
        fatalError("out of memory")
      }
      pcre2_set_match_limit_8(context, 1_000_000)
      pcre2_set_depth_limit_8(context, 1_000_000)
      pcre2_set_heap_limit_8(context, 20_000)
      stack = pcre2_jit_stack_create_8(32 << 10, 1 << 20, nil)
      if let stack { pcre2_jit_stack_assign_8(context, nil, UnsafeMutableRawPointer(stack)) }
      self.data = data
      self.context = context
    }

    deinit {
      pcre2_match_data_free_8(data)
      pcre2_match_context_free_8(context)
      if let stack { pcre2_jit_stack_free_8(stack) }
    }

    /// Looks for `pattern` anywhere in `text`, which must be UTF-8.
    package func match(_ pattern: Pattern, in text: ByteView) -> Outcome {
      text.withUnsafeBytes { bytes in
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        var result = pcre2_match_8(pattern.code, start, bytes.count, 0, UInt32(PCRE2_NO_UTF_CHECK), data, context)
        if result == PCRE2_ERROR_JIT_STACKLIMIT {
          let options = UInt32(PCRE2_NO_UTF_CHECK) | UInt32(PCRE2_NO_JIT)
          result = pcre2_match_8(pattern.code, start, bytes.count, 0, options, data, context)
        }
        // 0: it matched, with more groups than the data holds.
        if result >= 0 { return .match }
        return result == PCRE2_ERROR_NOMATCH ? .noMatch : .tooCostly
      }
    }
  }
}
