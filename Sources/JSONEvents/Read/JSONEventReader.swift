public import ByteStreams
import CByteScan
import CJSONEvents

/// Reads one JSON document from a source, strictly, as batches of events, in memory that does not depend on its size.
///
/// For example:
///
///     var reader = JSONEventReader(try FileSource(path: "export.json"))
///     while try reader.next() {
///       for index in 0..<reader.events.count where reader.events.kind(at: index) == .key {
///         print(reader.events.text(at: index), reader.position(at: index).line)
///       }
///     }
///
/// Tokens are contiguous in the reader's buffer even if the source splits them, so that every place in a batch has a line:
///
///     buffer   | kept: an unfinished token | new bytes, checked and fed | new bytes, not yet fed |
///              0                           …                          fed                      filled
///
/// Cost: time linear in the input, even for a token of the maximum size; memory for about two chunks and their events (16 bytes
/// each), or for a few times the longest token if that is more.
public struct JSONEventReader: ~Copyable {
  private let limits: ReaderLimits
  private var source: any ByteSource
  private let parser: OpaquePointer
  private var buffer: ByteBuffer
  /// The end of the bytes known to be UTF-8 without forbidden control characters.
  private var checked = 0
  private var fed = 0
  /// The document offset of the buffer's first byte.
  private var base = 0
  private var isAtStart = true
  /// The document's first four bytes, or slightly more, which show its encoding.
  private var firstBytes: [UInt8] = []
  private var sourceEnded = false
  private var isFinished = false
  /// A comma or colon after the last event that is no longer in the buffer.
  private var separator = SyntaxDiagnosis.Separator.none
  /// The long token whose rest is being withheld, if there is one.
  private var longToken: LongToken?
  private var failure: CofferError?
  private var unit = TextUnit.document
  /// True if zeros may follow the document, as after a crash or on a full disk.
  package var toleratesPadding = false
  /// These zeros.
  package private(set) var padding: Padding?

  /// Zeros, and white space among them, from the document's end to the end of the source.
  package struct Padding {
    package let position: TextPosition
    package fileprivate(set) var zeroCount = 0
    /// The error if anything else follows.
    fileprivate let error: CofferError
  }

  /// Finds the line and column of places in the current batch.
  package var lines: LineCursor
  /// The events loaded by the last ``next()``.
  public private(set) var events: EventRun
  package var batch: EventBatch { events.batch }

  /// - Parameters:
  ///   - source: the document, which may begin with a byte-order mark.
  ///   - limits: the maximum depth and sizes, and the number of bytes per read.
  public init(_ source: some ByteSource, limits: ReaderLimits = ReaderLimits()) {
    self.init(source, limits: limits, keys: nil)
  }

  /// - Parameter keys: how to compare keys. If `nil`, they are not compared.
  package init(_ source: some ByteSource, limits: ReaderLimits = ReaderLimits(), keys: KeyComparison?) {
    precondition(limits.depth > 0 && limits.depth < 1 << 24, "the depth limit is out of range")
    precondition(limits.tokenSize > 0 && limits.tokenSize <= 1 << 30, "the token limit is out of range")
    precondition(limits.chunkSize > 0 && limits.chunkSize <= 1 << 30, "the chunk size is out of range")
    guard let parser = coffer_parser_create(UInt32(limits.depth), limits.tokenSize) else { fatalError("out of memory") }
    keys?.start(inParser: parser)
    self.limits = limits
    self.source = source
    self.parser = parser
    buffer = ByteBuffer(capacity: max(limits.chunkSize, 16) + 256)
    lines = LineCursor(bytes: buffer.start)
    events = EventRun(EventBatch(base: 0, buffer: buffer.start, batch: coffer_parser_batch(parser).pointee))
  }

  /// Reads a document inside another one, such as a line of JSON Lines; places are those of the outer document.
  ///
  /// - Parameter position: the place of its first byte, after a byte-order mark if there is one.
  package init(_ source: some ByteSource, limits: ReaderLimits, at position: TextPosition, as unit: TextUnit = .document) {
    self.init(source, limits: limits)
    self.unit = unit
    guard position.offset > 0 else { return }
    isAtStart = false
    base = position.offset
    lines.jump(to: position)
    // Only the first bytes of the whole document show the encoding.
    firstBytes = [UInt8](repeating: UInt8(ascii: " "), count: 4)
  }

  deinit { coffer_parser_destroy(parser) }

  /// The number of bytes of the document that have been read.
  public var bytesRead: Int { base + filled }

  /// Returns the place of the event at an index of ``events``. Cheapest in the order of the events.
  public mutating func position(at index: Int) -> TextPosition { lines.position(at: batch.offset(of: batch[index])) }

  /// Loads the next batch, which may be empty; false once a well-formed document has been read to its end.
  ///
  /// - Throws: `CofferError`, after the last event before a syntax error.
  public mutating func next() throws(CofferError) -> Bool {
    if let failure { throw failure }
    if isFinished { return false }
    slide()
    coffer_parser_clear(parser)
    try fill()
    if !isAtStart || skipByteOrderMark() { advance() }
    events = EventRun(EventBatch(base: base, buffer: buffer.start, batch: state))
    return true
  }

  private var state: coffer_batch { coffer_parser_batch(parser).pointee }
  private var isRootDone: Bool { state.root_done != 0 }
  private var filled: Int { buffer.count }
  private var view: ByteView { buffer.view }

  // MARK: The buffer

  /// Drops all bytes before the current incomplete token.
  private mutating func slide() {
    let start = state.last_end
    let keep = isRootDone ? fed : view.prefix(fed).firstIndexPastSeparators(from: start)
    if state.count > 0 { separator = .none }
    if keep > start, !isRootDone {
      let found = SyntaxDiagnosis.Separator(view.prefix(keep).dropFirst(start))
      if let found, found != .space || separator == .none { separator = found }
    }
    guard keep > 0 else { return }
    lines.drop(keep)
    coffer_parser_slide(parser, keep)
    buffer.dropFirst(keep)
    base += keep
    checked -= keep
    fed -= keep
    lines.rebase(bytes: buffer.start, count: filled)
  }

  private mutating func fill() throws(CofferError) {
    guard !sourceEnded else { return }
    let count = try buffer.fill(from: &source, upTo: limits.chunkSize)
    // After skipped items, other bytes follow that don't show the encoding; the skipped ones were UTF-8.
    if base + filled - count < 4, firstBytes.count == base + filled - count {
      firstBytes += view.dropFirst(filled - count).prefix(4).array
    }
    sourceEnded = count == 0
    lines.rebase(bytes: buffer.start, count: filled)
  }

  /// Returns false while there are too few bytes to decide.
  private mutating func skipByteOrderMark() -> Bool {
    guard filled > 0, buffer[0] != 0xEF || filled >= 3 || sourceEnded else { return sourceEnded }
    isAtStart = false
    if filled >= 3, buffer[0] == 0xEF, buffer[1] == 0xBB, buffer[2] == 0xBF {
      lines.skipWithoutColumns(3)
      buffer.dropFirst(3)
      base = 3
      lines.rebase(bytes: buffer.start, count: filled)
    }
    return true
  }

  // MARK: Leaving out

  /// True if every byte read has become an event, or is white space or a comma between events.
  package var hasReadAll: Bool { fed == filled && longToken == nil && !isRootDone && failure == nil }

  /// The innermost open container, if it is an object.
  package var openObject: OpenObject? { coffer_parser_in_object(parser) != 0 ? OpenObject(parser: parser) : nil }

  /// Continues at another place of the document, that of the source's next byte. The bytes between are skipped: whole items of
  /// the open array, or members of the open object, at least one. The reader must have read everything before them.
  ///
  /// - Parameter followsComma: true if a comma precedes the new place, so that another item must follow.
  package mutating func skipItems(to position: TextPosition, followsComma: Bool) {
    precondition(hasReadAll && !isFinished, "some of the bytes read have not been processed")
    // Feeds an item of our own, because yajl must know that there were some.
    let item = coffer_parser_in_object(parser) != 0 ? "\"\":0" : "0"
    let status = coffer_parser_prime(parser, item + (followsComma ? "," : " "))
    guard status == COFFER_OK else { preconditionFailure("no items are allowed here") }
    resume(at: position)
    separator = followsComma ? .comma : .space
  }

  /// Continues at another place of the document, that of the source's next byte. The bytes between, if any, are not read here.
  /// The reader must have read everything before them.
  package mutating func resume(at position: TextPosition) {
    precondition(hasReadAll && !isFinished, "some of the bytes read have not been processed")
    coffer_parser_slide(parser, state.last_end)
    separator = .none
    base = position.offset
    buffer.truncate(to: 0)
    checked = 0
    fed = 0
    lines.jump(to: position)
  }

  // MARK: Feeding

  /// Checks the new bytes, and feeds yajl as many of them as possible.
  private mutating func advance() {
    if isRootDone { return skipTrailingSpace() }
    let wrong = check()
    if wrong == nil, !sourceEnded, !isLongTokenComplete() { return }
    longToken = nil
    if fed < checked {
      let status = coffer_parser_feed(parser, buffer.start, fed, checked)
      fed = checked
      if status != COFFER_OK { return fail(diagnose(status)) }
    }
    if isRootDone {
      skipTrailingSpace()
    } else if let wrong {
      fail(wrong)
    } else if sourceEnded {
      finish()
    } else {
      noteLongToken()
    }
  }

  /// Advances `checked`; returns the error of the byte at which it stops.
  private mutating func check() -> CofferError? {
    var incomplete: CInt = 0
    let start = checked
    checked += coffer_utf8_prefix(buffer.start + start, filled - start, &incomplete)
    let vertical = start + coffer_find_vertical_space(buffer.start + start, checked - start)
    if vertical < checked {
      checked = vertical
      return error(.syntax, "JSON doesn't allow a \(SyntaxDiagnosis.name(of: view.dropFirst(vertical)))", at: vertical)
    }
    guard checked < filled, incomplete == 0 || sourceEnded else { return nil }
    if incomplete != 0 { return error(unit.truncation, "\(unit.end) inside a character", at: filled) }
    return error(
      .encoding, SyntaxDiagnosis.invalidUTF8(view.dropFirst(checked)), redacted: "the text is not UTF-8", at: checked)
  }

  private mutating func finish() {
    isFinished = true
    let lastEnd = state.last_end
    let status = coffer_parser_finish(parser, buffer.start, filled)
    // The last token was a number, even if it is not an event because it may be incomplete.
    if state.last_end > lastEnd { separator = .none }
    if !isRootDone || status != COFFER_OK && status != COFFER_SYNTAX {
      fail(diagnose(status == COFFER_OK ? COFFER_SYNTAX : status))
    }
  }

  /// Only white space may follow the root value. yajl need not see it: it would not notice an unterminated string there.
  private mutating func skipTrailingSpace() {
    let index = view.firstIndexPastSpace(from: state.last_end)
    if index < filled { readMore() }
    fed = filled
    checked = filled
    isFinished = sourceEnded
    if padding != nil || toleratesPadding && index < filled && view[index] == 0 { return skipPadding(from: index) }
    if index < filled, let habit = SyntaxDiagnosis.Habit(after: view.dropFirst(index)) {
      fail(error(.syntax, habit.message(""), at: index))
    } else if index < filled {
      let found = SyntaxDiagnosis.name(of: view.dropFirst(index))
      let isValue = view[index] == UInt8(ascii: "{") || view[index] == UInt8(ascii: "[")
      let mayBeSeveral = unit == .document && isValue
      let hint = mayBeSeveral ? "; if the file has several documents, read it as a sequence" : ""
      let redacted = "\(unit.completion), but something else follows\(hint)"
      let cause = mayBeSeveral ? CofferError(.severalDocuments, "the file may have several documents") : nil
      fail(error(.syntax, "\(unit.completion), but \(found) follows\(hint)", redacted: redacted, at: index, cause))
    }
  }

  private mutating func skipPadding(from index: Int) {
    let rest = view.dropFirst(index)
    var padding =
      padding
      ?? Padding(
        position: lines.position(at: base + index),
        error: error(.syntax, "\(unit.completion), but \(SyntaxDiagnosis.name(of: rest)) follows", at: index))
    for place in 0..<rest.count where !SyntaxDiagnosis.isSpace(rest[place]) {
      if rest[place] != 0 {
        self.padding = nil
        return fail(padding.error)
      }
      padding.zeroCount += 1
    }
    self.padding = padding
  }

  // MARK: Long tokens

  private mutating func noteLongToken() {
    let start = view.prefix(fed).firstIndexPastSeparators(from: state.last_end)
    guard fed - start >= LongToken.minimumLength else { return }
    if fed - start > limits.tokenSize + 1 { return fail(tokenLimitError(at: start)) }
    longToken = LongToken(start: base + start, firstByte: buffer[start])
  }

  /// Returns true if no token is being withheld, or if the current one has reached its end or its limit.
  private mutating func isLongTokenComplete() -> Bool {
    guard var token = longToken else { return true }
    if token.hasEnd(in: view, from: base) { return true }
    longToken = token
    // Feed a token even if it exceeds its limit: an error within the limit comes first, regardless of chunk boundaries.
    return checked - (token.start - base) > limits.tokenSize + 1
  }

  // MARK: Errors

  /// Ends the reading. An error inside a token that already exceeds its limit is ignored: the limit comes first, however the
  /// source splits the text.
  private mutating func fail(_ error: CofferError) {
    let offset = error.place.position?.offset ?? base
    if offset < 4 {
      // A document in another encoding never gets any further.
      readMore()
      if let name = SyntaxDiagnosis.foreignData(firstBytes) {
        failure = .foreignData(name)
        return
      }
      if let name = SyntaxDiagnosis.foreignEncoding(firstBytes) {
        failure = CofferError(
          .encoding, "the text is \(name), but must be UTF-8: convert it first",
          at: .init(position: TextPosition(offset: 0, line: 1, column: 1)))
        return
      }
    }
    let start = view.firstIndexPastSeparators(from: state.last_end)
    let isInLongToken = start < filled && base + start + limits.tokenSize + 1 < offset
    failure = isInLongToken && SyntaxDiagnosis.isTokenStart(buffer[start]) ? tokenLimitError(at: start) : error
  }

  private mutating func error(
    _ code: CofferError.Code, _ message: String, redacted: String? = nil, at index: Int, _ cause: CofferError? = nil
  ) -> CofferError {
    CofferError(
      code, message, redacted: redacted ?? message, at: .init(position: lines.position(at: base + index)), underlying: cause)
  }

  /// Reads more bytes, so that a message names the same word or character however the source splits the text.
  private mutating func readMore() {
    while !sourceEnded, filled - fed < 64 {
      // An error of the source no longer matters.
      do { try fill() } catch { return }
    }
  }

  private mutating func tokenLimitError(at index: Int) -> CofferError {
    // A token in an invalid place is reported first, as it would be if the token were short.
    let diagnosis = syntaxDiagnosis
    if diagnosis.isUnexpected, state.last_end + diagnosis.index <= index {
      return error(
        diagnosis.code, diagnosis.message, redacted: diagnosis.redactedMessage, at: state.last_end + diagnosis.index)
    }
    let what = buffer[index] == UInt8(ascii: "\"") ? "string" : "number"
    return error(.tokenLimit, "a \(what) is longer than the limit of \(limits.tokenSize) bytes", at: index)
  }

  /// The error in the bytes after the last event, assuming that there is one.
  private var syntaxDiagnosis: SyntaxDiagnosis {
    let state = state
    return SyntaxDiagnosis(
      of: view.dropFirst(state.last_end), after: state.last_kind < 0 ? nil : Event.Kind(rawValue: UInt8(state.last_kind)),
      inObject: coffer_parser_in_object(parser) != 0, depth: Int(state.depth), separator: state.count > 0 ? .none : separator,
      in: unit)
  }

  private mutating func diagnose(_ status: coffer_status) -> CofferError {
    let state = state
    switch status {
    case COFFER_DEPTH:
      return error(.depthLimit, "the nesting exceeds the limit of \(limits.depth) levels", at: state.error)
    case COFFER_TOKEN:
      return tokenLimitError(at: state.error)
    case COFFER_LONE_SURROGATE:
      let escape = view.dropFirst(state.error).prefix(6).string
      return error(
        .encoding, "the escape \(escape) is an unpaired surrogate",
        redacted: "an escape is an unpaired surrogate", at: state.error)
    case COFFER_MEMORY:
      return error(.memory, "out of memory", at: state.error)
    default:
      readMore()
      let diagnosis = syntaxDiagnosis
      var place = ""
      if let token = diagnosis.unfinishedToken {
        let start = lines.position(at: base + state.last_end + token)
        place = " that begins at line \(start.line), column \(start.column)"
      }
      return error(
        diagnosis.code, diagnosis.message + place, redacted: diagnosis.redactedMessage.map { $0 + place },
        at: state.last_end + diagnosis.index)
    }
  }
}

extension ByteView {
  /// Returns the first index from `start` whose byte is not JSON white space, or `count`.
  package func firstIndexPastSpace(from start: Int) -> Int {
    var index = start
    while index < count, SyntaxDiagnosis.isSpace(self[index]) { index += 1 }
    return index
  }

  /// Returns the first index from `start` past white space, commas and colons: the start of the token after the last event.
  fileprivate func firstIndexPastSeparators(from start: Int) -> Int {
    var index = start
    while index < count,
      SyntaxDiagnosis.isSpace(self[index]) || self[index] == UInt8(ascii: ",") || self[index] == UInt8(ascii: ":")
    {
      index += 1
    }
    return index
  }
}

/// Limits that bound a reader's memory for any document, and the number of bytes read at a time.
public struct ReaderLimits: Sendable {
  /// The maximum number of open brackets: at most ``largestDepth``. A reader takes about 100 bytes for each.
  public var depth: Int = 512
  public static let largestDepth = 10_000
  /// The maximum number of bytes of a string, a key or a number: at most 1 GiB. The longest one is in memory a few times.
  public var tokenSize: Int = 64 << 20
  /// The maximum number of bytes of a JSON Lines line, which is read as a whole: at most 1 GiB.
  public var lineSize: Int = 64 << 20
  /// The number of bytes per read. Results never depend on it. 64 KiB and their events fit into a core's own cache.
  public var chunkSize: Int = 64 << 10

  public init() {}
}

/// A token that continues after the bytes fed. yajl would lex it from its start with every chunk, so its rest is withheld until
/// it is complete.
///
/// Places are document offsets, because the buffer moves while the token is read.
struct LongToken {
  /// yajl may lex shorter tokens twice, which costs less than finding their end here.
  static let minimumLength = 4096

  let start: Int
  private let isString: Bool
  /// The position at which the search for the end resumes.
  private var searched: Int

  init(start: Int, firstByte: UInt8) {
    self.start = start
    isString = firstByte == UInt8(ascii: "\"")
    searched = start + 1
  }

  /// Returns true if the token ends in `bytes`, which begin at the document offset `base`. Nothing is searched twice.
  mutating func hasEnd(in bytes: ByteView, from base: Int) -> Bool {
    var position = searched - base
    let found: Bool
    if isString {
      found = coffer_find_string_end(bytes.base, bytes.count, &position) != 0
    } else {
      while position < bytes.count, SyntaxDiagnosis.isNumberByte(bytes[position]) { position += 1 }
      found = position < bytes.count
    }
    searched = base + position
    return found
  }
}

extension CofferError {
  /// The error for a document whose first bytes are those of compressed data. Readers of backups expand it once.
  package static func foreignData(_ name: String) -> CofferError {
    CofferError(
      .foreignCompression, "the document is \(name), not JSON: if it was compressed twice, decompress it once first",
      at: .init(position: TextPosition(offset: 0, line: 1, column: 1)))
  }
}

extension CofferError.Code {
  /// The bytes are not JSON (RFC 8259).
  public static let syntax = Self(rawValue: "syntax")
  /// The cause of a `syntax` error: another object or array follows the document, so it may be JSON Lines.
  public static let severalDocuments = Self(rawValue: "several-documents")
  /// The input ends before the value is complete.
  public static let truncated = Self(rawValue: "truncated")
  /// The document contains only white space.
  public static let empty = Self(rawValue: "empty")
  /// Invalid UTF-8, or an escape that represents no character.
  public static let encoding = Self(rawValue: "encoding")
  /// The nesting exceeds ``ReaderLimits/depth``.
  public static let depthLimit = Self(rawValue: "depth-limit")
  /// A token exceeds ``ReaderLimits/tokenSize``.
  public static let tokenLimit = Self(rawValue: "token-limit")
  /// A line exceeds ``ReaderLimits/lineSize``.
  public static let lineLimit = Self(rawValue: "line-limit")
  /// The data to sort exceeds the memory available for it.
  public static let sortLimit = Self(rawValue: "sort-limit")
  /// The rules require more data at a time than can be kept.
  public static let ruleLimit = Self(rawValue: "rule-limit")
  /// Out of memory.
  public static let memory = Self(rawValue: "memory")
}
