import CPCRE2
package import JSONEvents
import Synchronization

/// A compiled ECMA-262 regular expression with the flag u, as JSON Schema's `pattern` requires. Owns its PCRE2 code.
///
/// Compiling takes time linear in the source. A source of more than 64 KB, or one whose PCRE2 code would exceed PCRE2's limit, is
/// refused. Matching is bounded as well: see ``Matcher``.
///
/// Not supported, though valid in ECMA-262: lookbehinds of variable length, back-references in lookbehinds, back-references from
/// outside of a repetition to a group in it, counts above 65 535, and `\p{…}` when case is ignored. Unicode
/// properties are those of PCRE2's Unicode version.
package final class Pattern: @unchecked Sendable {
  // @unchecked: compiled PCRE2 code is read-only; the mutable match data belongs to a Matcher.
  let code: OpaquePointer
  /// The same pattern, anchored at the start, with a prefix that matches everything before it. PCRE2 counts steps anew from each
  /// start, and this variant has only one start. `nil` if the pattern is itself anchored.
  private let walkingCode: OpaquePointer?
  package let source: String
  /// If the pattern is a single class, such as `\S`: its ASCII characters, any of which is a match. Otherwise empty.
  private let sufficient: (UInt64, UInt64)
  /// The same pattern, if it needs no PCRE2.
  private let sequences: ClassSequences?
  /// The longest text that is matched by JIT code, in bytes. JIT code counts no steps within the repetition of one character or
  /// class, so the total of such repetitions must be small. Longer texts are interpreted, which counts every step and is ten
  /// times slower.
  private let longestCompiledText: Int

  package struct CompileError: Error {
    package let message: String
    /// The byte offset in the pattern.
    package let offset: Int
  }

  /// - Parameter capturesGroups: true for use by ``PatternCaptures``; otherwise groups without references don't capture.
  package init(_ source: String, capturesGroups: Bool = false) throws(CompileError) {
    guard source.utf8.count <= Self.longestSource else {
      throw CompileError(message: "the pattern is longer than \(Self.longestSource) bytes", offset: Self.longestSource)
    }
    var tree = try PatternParser.parse(source)
    if capturesGroups { tree.referencedGroups.formUnion(tree.groups) }
    tree = tree.reducedForSearch
    let translation = try PatternTranslation(tree)
    // The JIT of PCRE2 10.42 wrongly skips starts if a lookbehind follows a repetition: `(?:b|)[a-c]*(?<!b)` finds nothing in b.
    let options = tree.looksBehind ? UInt32(PCRE2_NO_START_OPTIMIZE) : 0
    self.source = source
    sufficient = tree.sufficientCharacters
    sequences = ClassSequences(tree)
    longestCompiledText = Self.longestCompiledText(repetitions: tree.root.openRepetitions)
    switch Self.compile(translation.text, options, isSearched: sequences == nil) {
    case .success(let code): self.code = code
    case .failure(let refusal):
      throw CompileError(message: refusal.message, offset: translation.sourceOffset(of: refusal.offset))
    }
    var found: UInt32 = 0
    pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_ALLOPTIONS), &found)
    guard sequences == nil, found & UInt32(PCRE2_ANCHORED) == 0 else {
      walkingCode = nil
      return
    }
    walkingCode = try? Self.compile(Array("^[^]*?(?:".utf8) + translation.text + Array(")".utf8), options).get()
  }

  deinit {
    pcre2_code_free_8(code)
    if let walkingCode { pcre2_code_free_8(walkingCode) }
  }

  /// Throws if `source` isn't an ECMA-262 pattern, by the grammar for patterns in rules.
  ///
  /// Accepts valid patterns that Coffer can't match. Takes time and memory linear in the source.
  package static func checkSyntax(of source: String) throws(CompileError) {
    _ = try PatternParser.parse(source)
  }

  // MARK: Compiling

  /// PCRE2's code can't exceed 64 KB, and few sources are longer than their code.
  private static let longestSource = 1 << 16

  private struct Refusal: Error {
    let code: CInt
    /// The byte offset in the translation.
    let offset: Int

    var message: String {
      switch code {
      case CInt(PCRE2_ERROR_LOOKBEHIND_NOT_FIXED_LENGTH), CInt(PCRE2_ERROR_LOOKBEHIND_TOO_COMPLICATED),
        CInt(PCRE2_ERROR_LOOKBEHIND_TOO_LONG):
        return "lookbehinds of variable or great length are not supported"
      case CInt(PCRE2_ERROR_PATTERN_TOO_LARGE): return "the pattern is too large with its repetitions expanded"
      case CInt(PCRE2_ERROR_UNKNOWN_UNICODE_PROPERTY): return "this version of PCRE2 doesn't know the property"
      default:
        var text = [UInt8](repeating: 0, count: 256)
        let length = pcre2_get_error_message_8(code, &text, text.count)
        return String(decoding: text.prefix(max(0, Int(length))), as: UTF8.self)
      }
    }
  }

  /// - Parameter isSearched: false if PCRE2 is only asked for captures, which are interpreted.
  private static func compile(_ text: [UInt8], _ further: UInt32, isSearched: Bool = true) -> Result<OpaquePointer, Refusal> {
    // ECMA-262 semantics: `$` matches only at the very end, `[]` matches nothing, a reference to an unset group matches "".
    let options =
      UInt32(PCRE2_UTF) | UInt32(PCRE2_DOLLAR_ENDONLY) | UInt32(PCRE2_ALLOW_EMPTY_CLASS) | UInt32(PCRE2_MATCH_UNSET_BACKREF)
      | UInt32(PCRE2_NEVER_BACKSLASH_C) | further
    guard let context = pcre2_compile_context_create_8(nil) else { fatalError("out of memory") }
    defer { pcre2_compile_context_free_8(context) }
    // The parser's limit is decisive: the translation adds a few groups.
    pcre2_set_parens_nest_limit_8(context, UInt32(PatternParser.deepestNesting + 10))
    var errorCode: CInt = 0
    var errorOffset = 0
    let code = text.withUnsafeBufferPointer {
      pcre2_compile_8($0.baseAddress, text.count, options, &errorCode, &errorOffset, context)
    }
    guard let code else { return .failure(Refusal(code: errorCode, offset: errorOffset)) }
    // On platforms without a JIT, PCRE2 falls back to its interpreter.
    if isSearched { pcre2_jit_compile_8(code, UInt32(PCRE2_JIT_COMPLETE)) }
    return .success(code)
  }

  /// Returns the longest text for JIT code. With r repetitions, matching a text of n bytes may take n to the power of r + 1
  /// steps.
  private static func longestCompiledText(repetitions: Int) -> Int {
    if repetitions == 0 { return .max }
    var length = 1
    while (0...repetitions).reduce(1.0, { product, _ in product * Double(length * 2) }) <= 10_000_000 { length *= 2 }
    return length
  }

  // MARK: Matching

  @inline(__always)
  private func isSufficient(_ byte: UInt8) -> Bool {
    byte < 0x80 && (byte < 64 ? sufficient.0 : sufficient.1) >> UInt64(byte & 63) & 1 == 1
  }

  package enum Outcome: Sendable { case match, noMatch, tooCostly }

  /// The state for matching on one thread: PCRE2's match data and limits.
  ///
  /// A match is abandoned (`Outcome.tooCostly`) after 10 000 steps of backtracking, plus 1 000 for each of the first 4096 bytes,
  /// plus 10 for each byte, or if the steps need more than 20 MB of memory: `^(a+)+$` on 10 MB ends after 3 s.
  package final class Matcher {
    // @unchecked: one matcher at a time has it.
    private final class Memory: @unchecked Sendable {
      /// Memory that matchers have given back, for the next ones: to allocate a stack takes longer than to search a document of 1 kB, and
      /// a run may search thousands of them. At most one for each of 64 threads.
      static let free = Mutex<[Memory]>([])
      static let freeLimit = 64

      let data: OpaquePointer
      let context: OpaquePointer
      /// The stack of JIT code, up to 1 MB. Matches that need more are interpreted: slower, and subject to the limits below.
      let stack: OpaquePointer?

      init() {
        guard let data = pcre2_match_data_create_8(1, nil), let context = pcre2_match_context_create_8(nil) else {
          fatalError("out of memory")
        }
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
    }

    /// Taken for the first search.
    private lazy var memory = {
      hasMemory = true
      return Memory.free.withLock { $0.popLast() } ?? Memory()
    }()
    private var hasMemory = false

    package init() {}

    deinit {
      if hasMemory { Memory.free.withLock { [memory] free in if free.count < Memory.freeLimit { free.append(memory) } } }
    }

    /// Searches for `pattern` anywhere in `text`, which must be UTF-8.
    package func match(_ pattern: Pattern, in text: ByteView) -> Outcome {
      var steps = 0
      return match(pattern, in: text, addingSteps: &steps)
    }

    /// Searches for `pattern` anywhere in `text`, and adds the steps of abandoned attempts: none for most searches, and at least an
    /// eighth of all steps for long ones.
    @inline(__always)
    func match(_ pattern: Pattern, in text: ByteView, addingSteps steps: inout Int) -> Outcome {
      if text.count > 0, pattern.isSufficient(text[0]) { return .match }
      if let sequences = pattern.sequences { return sequences.match(text) ? .match : .noMatch }
      return text.withUnsafeBytes { bytes in
        let limit = 10_000 + 1_000 * min(bytes.count, 4096) + 10 * bytes.count
        let isCompiled = bytes.count <= pattern.longestCompiledText
        // Starts anew at each character, which is faster because PCRE2 skips positions where no match can begin.
        var outcome = outcome(of: pattern.code, bytes, Self.firstLimit, isCompiled)
        // Attempts with growing limits tell roughly how many steps there are: PCRE2 doesn't.
        var attempt = Self.firstLimit
        while outcome == .tooCostly, attempt < limit {
          steps += attempt
          attempt = min(attempt * 8, limit)
          outcome = self.outcome(of: pattern.walkingCode ?? pattern.code, bytes, attempt, isCompiled)
        }
        if outcome == .tooCostly { steps += attempt }
        return outcome
      }
    }

    private static let firstLimit = 250

    private func outcome(
      of code: OpaquePointer, _ bytes: UnsafeRawBufferPointer, _ limit: Int, _ isCompiled: Bool
    ) -> Outcome {
      let (data, context) = (memory.data, memory.context)
      pcre2_set_match_limit_8(context, UInt32(clamping: limit))
      let start = bytes.bindMemory(to: UInt8.self).baseAddress
      let options = UInt32(PCRE2_NO_UTF_CHECK) | (isCompiled ? 0 : UInt32(PCRE2_NO_JIT))
      var result = pcre2_match_8(code, start, bytes.count, 0, options, data, context)
      if result == PCRE2_ERROR_JIT_STACKLIMIT {
        let options = UInt32(PCRE2_NO_UTF_CHECK) | UInt32(PCRE2_NO_JIT)
        result = pcre2_match_8(code, start, bytes.count, 0, options, data, context)
      }
      // 0: a match with more groups than the match data holds.
      if result >= 0 { return .match }
      return result == PCRE2_ERROR_NOMATCH ? .noMatch : .tooCostly
    }
  }
}

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
