public import ByteStreams
import CByteScan
import CJSONEvents

/// Reads one JSON document from a source, strictly, as batches of events, in memory that does not depend on its size.
///
/// For example:
///
///     var reader = JSONEventReader(try FileSource(path: "export.json"))
///     while try reader.next() {
///       for index in 0..<reader.batch.count {
///         let event = reader.batch[index]
///         if event.kind == .key { print(reader.batch.text(of: event).string, reader.position(of: event).line) }
///       }
///     }
///
/// Tokens are contiguous in the reader's buffer even where the source cut them, so that every place in a batch can be given a line:
///
///     buffer   | kept: an unfinished token | new bytes, checked and fed | new bytes, not yet fed |
///              0                           …                          fed                      filled
///
/// Cost: time linear in the input, also for a token of the largest size; memory of about two chunks and their events (16 bytes each),
/// or a few times the longest token where that is more.
public struct JSONEventReader: ~Copyable {
  private let limits: ReaderLimits
  private var source: any ByteSource
  private let parser: OpaquePointer
  private var buffer: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// Readers of words may look past the last byte: the buffer is so much longer than `capacity`.
  private static let padding = 16

  private var filled = 0
  /// How far the buffer is known to be UTF-8 without forbidden control characters.
  private var checked = 0
  private var fed = 0
  /// The offset in the document of the buffer's first byte.
  private var base = 0
  private var isAtStart = true
  /// The document's first four bytes, or a few more: they tell its encoding.
  private var firstBytes: [UInt8] = []
  private var sourceEnded = false
  private var isFinished = false
  /// A comma or colon that stood behind the last event and has left the buffer.
  private var separator = SyntaxDiagnosis.Separator.none
  /// The token whose rest is being withheld, if it is a long one.
  private var longToken: LongToken?
  private var failure: JSONReadError?

  /// The line and column of places in the current batch.
  package var lines: LineCursor
  /// The events that the last ``next()`` has loaded, and their texts; valid until the one after it.
  public private(set) var batch: EventBatch

  /// - Parameter source: the document, which a byte-order mark may precede.
  public init(_ source: some ByteSource, limits: ReaderLimits = ReaderLimits()) {
    self.init(source, limits: limits, keys: nil)
  }

  /// - Parameter keys: how keys are compared; `nil`: they are not.
  package init(_ source: some ByteSource, limits: ReaderLimits = ReaderLimits(), keys: KeyComparison?) {
    precondition(limits.depth > 0 && limits.depth < 1 << 24, "the depth limit is out of range")
    precondition(limits.tokenSize > 0 && limits.tokenSize <= 1 << 30, "the token limit is out of range")
    precondition(limits.chunkSize > 0 && limits.chunkSize <= 1 << 30, "the chunk size is out of range")
    guard let parser = coffer_parser_create(UInt32(limits.depth), limits.tokenSize) else { fatalError("out of memory") }
    keys?.start(inParser: parser)
    self.limits = limits
    self.source = source
    self.parser = parser
    capacity = max(limits.chunkSize, 16) + 256
    buffer = .allocate(capacity: capacity + Self.padding)
    buffer.initialize(repeating: 0, count: capacity + Self.padding)
    lines = LineCursor(bytes: buffer)
    batch = EventBatch(base: 0, buffer: buffer, batch: coffer_parser_batch(parser).pointee)
  }

  /// Reads a document that begins inside another one, as a line of JSON Lines does; its places are the other one's.
  ///
  /// - Parameter position: where its first byte stands, behind a byte-order mark if there is one.
  package init(_ source: some ByteSource, limits: ReaderLimits, at position: TextPosition) {
    self.init(source, limits: limits)
    guard position.offset > 0 else { return }
    isAtStart = false
    base = position.offset
    lines.jump(to: position)
    // Only the first bytes of all tell the encoding.
    firstBytes = [UInt8](repeating: UInt8(ascii: " "), count: 4)
  }

  deinit {
    coffer_parser_destroy(parser)
    buffer.deallocate()
  }

  /// How many bytes of the document have been read.
  public var bytesRead: Int { base + filled }

  /// Where an event of the current batch stands. Cheapest if asked in the events' order.
  public mutating func position(of event: Event) -> TextPosition { lines.position(at: batch.offset(of: event)) }

  /// Loads the next batch, which may be empty; false once the document has been read to its end and was well formed.
  ///
  /// - Throws: `JSONReadError` behind the last event before the error, `ByteStreamError` from the source.
  public mutating func next() throws -> Bool {
    if let failure { throw failure }
    if isFinished { return false }
    slide()
    coffer_parser_clear(parser)
    try fill()
    if !isAtStart || skipByteOrderMark() { advance() }
    batch = EventBatch(base: base, buffer: buffer, batch: state)
    return true
  }

  private var state: coffer_batch { coffer_parser_batch(parser).pointee }
  private var isRootDone: Bool { state.root_done != 0 }
  private var view: ByteView { ByteView(buffer, count: filled) }

  // MARK: The buffer

  /// Drops all bytes before the token that is still open.
  private mutating func slide() {
    let start = state.last_end
    let keep = isRootDone ? fed : view.prefix(fed).firstIndexPastSeparators(from: start)
    if state.count > 0 { separator = .none }
    if keep > start, !isRootDone {
      if let found = SyntaxDiagnosis.Separator(view.prefix(keep).dropFirst(start)) { separator = found }
    }
    guard keep > 0 else { return }
    lines.drop(keep)
    coffer_parser_slide(parser, keep)
    buffer.update(from: buffer + keep, count: filled - keep)
    base += keep
    filled -= keep
    checked -= keep
    fed -= keep
    lines.rebase(bytes: buffer, count: filled)
  }

  private mutating func fill() throws {
    guard !sourceEnded else { return }
    if capacity - filled < limits.chunkSize { grow() }
    let count = try source.read(into: UnsafeMutableRawBufferPointer(start: buffer + filled, count: limits.chunkSize))
    // Behind items that were left out, other bytes come: those tell nothing, and what was left out was UTF-8.
    if base + filled < 4, firstBytes.count == base + filled {
      firstBytes += UnsafeBufferPointer(start: buffer + filled, count: min(4, count))
    }
    filled += count
    sourceEnded = count == 0
    lines.rebase(bytes: buffer, count: filled)
  }

  private mutating func grow() {
    let larger = max(capacity * 2, filled + limits.chunkSize)
    let new = UnsafeMutablePointer<UInt8>.allocate(capacity: larger + Self.padding)
    new.update(from: buffer, count: filled)
    (new + filled).initialize(repeating: 0, count: larger + Self.padding - filled)
    buffer.deallocate()
    buffer = new
    capacity = larger
    lines.rebase(bytes: buffer, count: filled)
  }

  /// False while too few bytes are there to tell.
  private mutating func skipByteOrderMark() -> Bool {
    guard filled > 0, buffer[0] != 0xEF || filled >= 3 || sourceEnded else { return sourceEnded }
    isAtStart = false
    if filled >= 3, buffer[0] == 0xEF, buffer[1] == 0xBB, buffer[2] == 0xBF {
      lines.skipWithoutColumns(3)
      buffer.update(from: buffer + 3, count: filled - 3)
      base = 3
      filled -= 3
      lines.rebase(bytes: buffer, count: filled)
    }
    return true
  }

  // MARK: Leaving out

  /// Whether every byte that was read has become events, or white space or a comma between them.
  package var hasReadAll: Bool { fed == filled && longToken == nil && !isRootDone && failure == nil }

  /// Goes on at another place of the document, which the source's next byte has: what stands between was left out, whole items of the
  /// array that is open, at least one. The reader must have read all that came before.
  ///
  /// - Parameter isBehindComma: a comma stands before that place, so that another item must come.
  package mutating func skipItems(to position: TextPosition, isBehindComma: Bool) {
    precondition(hasReadAll && !isFinished, "what has been read is still being looked at")
    // An item of ours, for yajl must know that some have come.
    let status = coffer_parser_prime(parser, isBehindComma ? "0," : "0 ")
    guard status == COFFER_OK else { preconditionFailure("no items can stand here") }
    goOn(at: position)
    separator = isBehindComma ? .comma : .none
  }

  /// Goes on at another place of the document, which the source's next byte has: what stands between is seen by nobody here, and may be nothing.
  /// The reader must have read all that came before.
  package mutating func goOn(at position: TextPosition) {
    precondition(hasReadAll && !isFinished, "what has been read is still being looked at")
    coffer_parser_slide(parser, state.last_end)
    separator = .none
    base = position.offset
    filled = 0
    checked = 0
    fed = 0
    lines.jump(to: position)
  }

  // MARK: Feeding

  /// Checks the new bytes, and feeds yajl as many of them as it can take now.
  private mutating func advance() {
    if isRootDone { return skipTrailingSpace() }
    let wrong = check()
    if wrong == nil, !sourceEnded, !isLongTokenComplete() { return }
    longToken = nil
    if fed < checked {
      let status = coffer_parser_feed(parser, buffer, fed, checked)
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

  /// Moves `checked` forward; the error of the byte that it can't pass.
  private mutating func check() -> JSONReadError? {
    var incomplete: CInt = 0
    let start = checked
    checked += coffer_utf8_prefix(buffer + start, filled - start, &incomplete)
    let vertical = start + coffer_find_vertical_space(buffer + start, checked - start)
    if vertical < checked {
      checked = vertical
      return error(.syntax, "JSON allows no \(SyntaxDiagnosis.name(of: view.dropFirst(vertical)))", at: vertical)
    }
    guard checked < filled, incomplete == 0 || sourceEnded else { return nil }
    if incomplete != 0 { return error(.truncated, "the document ends inside a character", at: filled) }
    return error(
      .encoding, SyntaxDiagnosis.invalidUTF8(view.dropFirst(checked)), redacted: "the text is not UTF-8", at: checked)
  }

  private mutating func finish() {
    isFinished = true
    let lastEnd = state.last_end
    let status = coffer_parser_finish(parser, buffer, filled)
    // A number was the last token, though it is no event where it may have been cut.
    if state.last_end > lastEnd { separator = .none }
    if !isRootDone || status != COFFER_OK && status != COFFER_SYNTAX {
      fail(diagnose(status == COFFER_OK ? COFFER_SYNTAX : status))
    }
  }

  /// Past the root value there may be white space only, which yajl need not see: it overlooks an unterminated string there.
  private mutating func skipTrailingSpace() {
    let index = view.firstIndexPastSpace(from: state.last_end)
    if index < filled { readOn() }
    fed = filled
    checked = filled
    isFinished = sourceEnded
    if index < filled {
      let found = SyntaxDiagnosis.name(of: view.dropFirst(index))
      let redacted = "the document is complete, but something else follows"
      fail(error(.syntax, "the document is complete, but \(found) follows", redacted: redacted, at: index))
    }
  }

  // MARK: Long tokens

  private mutating func noteLongToken() {
    let start = view.prefix(fed).firstIndexPastSeparators(from: state.last_end)
    guard fed - start >= LongToken.minimumLength else { return }
    if fed - start > limits.tokenSize + 1 { return fail(tokenLimitError(at: start)) }
    longToken = LongToken(start: base + start, firstByte: buffer[start])
  }

  /// Whether no token is being withheld, or the one that is has now come to its end or its limit.
  private mutating func isLongTokenComplete() -> Bool {
    guard var token = longToken else { return true }
    if token.hasEnd(in: view, from: base) { return true }
    longToken = token
    // Past its limit it is fed all the same: what is wrong within the limit comes first, wherever the chunks end.
    return checked - (token.start - base) > limits.tokenSize + 1
  }

  // MARK: Errors

  /// Ends the reading. What is wrong inside a token that is longer than allowed already doesn't matter: the limit came first,
  /// however the source cut the text.
  private mutating func fail(_ error: JSONReadError) {
    if error.position.offset < 4 {
      // No document in another encoding gets further than that.
      readOn()
      if let name = SyntaxDiagnosis.foreignEncoding(firstBytes) {
        failure = JSONReadError(
          code: .encoding, message: "the text is \(name), Coffer reads UTF-8",
          position: TextPosition(offset: 0, line: 1, column: 1))
        return
      }
    }
    let start = view.firstIndexPastSeparators(from: state.last_end)
    let isInLongToken = start < filled && base + start + limits.tokenSize + 1 < error.position.offset
    failure = isInLongToken && SyntaxDiagnosis.isTokenStart(buffer[start]) ? tokenLimitError(at: start) : error
  }

  private mutating func error(
    _ code: JSONReadError.Code, _ message: String, redacted: String? = nil, at index: Int
  ) -> JSONReadError {
    JSONReadError(code: code, message: message, redacted: redacted ?? message, position: lines.position(at: base + index))
  }

  /// Reads some more, so that a message names the same word or character wherever the source cut the text.
  private mutating func readOn() {
    while !sourceEnded, filled - fed < 64 {
      // What keeps the rest from being read doesn't matter any more.
      do { try fill() } catch { return }
    }
  }

  private mutating func tokenLimitError(at index: Int) -> JSONReadError {
    // Where no token may begin, that comes first: it would be found however short the token was.
    let diagnosis = syntaxDiagnosis
    if diagnosis.isUnexpected, state.last_end + diagnosis.index <= index {
      return error(
        diagnosis.code, diagnosis.message, redacted: diagnosis.redactedMessage, at: state.last_end + diagnosis.index)
    }
    let what = buffer[index] == UInt8(ascii: "\"") ? "string" : "number"
    return error(.tokenLimit, "a \(what) is longer than the limit of \(limits.tokenSize) bytes", at: index)
  }

  /// What is wrong with the bytes behind the last event, if they are.
  private var syntaxDiagnosis: SyntaxDiagnosis {
    let state = state
    return SyntaxDiagnosis(
      of: view.dropFirst(state.last_end), behind: state.last_kind < 0 ? nil : Event.Kind(rawValue: UInt8(state.last_kind)),
      inObject: coffer_parser_in_object(parser) != 0, depth: Int(state.depth), separator: state.count > 0 ? .none : separator)
  }

  private mutating func diagnose(_ status: coffer_status) -> JSONReadError {
    let state = state
    switch status {
    case COFFER_DEPTH:
      return error(.depthLimit, "more than \(limits.depth) brackets are open", at: state.error)
    case COFFER_TOKEN:
      return tokenLimitError(at: state.error)
    case COFFER_LONE_SURROGATE:
      let escape = view.dropFirst(state.error).prefix(6).string
      return error(
        .encoding, "the escape \(escape) is half of a surrogate pair, its other half is missing",
        redacted: "an escape is half of a surrogate pair, its other half is missing", at: state.error)
    case COFFER_MEMORY:
      return error(.memory, "the system gave no more memory", at: state.error)
    default:
      readOn()
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
  /// The first index from `start` on whose byte is no white space of JSON, or `count`.
  fileprivate func firstIndexPastSpace(from start: Int) -> Int {
    var index = start
    while index < count, SyntaxDiagnosis.isSpace(self[index]) { index += 1 }
    return index
  }

  /// The same, past commas and colons too: where the token behind the last event begins.
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
