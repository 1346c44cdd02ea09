public import ByteStreams
import CByteScan
import CYajl

/// Writes JSON text, one event at a time, into its own buffer, which is drained to a sink in large pieces.
///
/// Time: one pass over each byte. Memory: about 128 KiB if drained after every record, regardless of the size of the document,
/// plus the text written in between.
///
/// The output is always JSON. Events in an invalid order (a value instead of a key, the wrong bracket, more than 127 levels),
/// invalid UTF-8, invalid numbers and infinite numbers are programming errors and trap.
///
/// For example:
///
///     var json = JSONEventWriter()
///     json.beginObject()
///     json.key("id")
///     json.integer(7)
///     json.endObject()
///     try json.finish(to: &sink)        // {"id":7}
public struct JSONEventWriter: ~Copyable {
  public enum Layout: Sendable, Hashable {
    /// No white space.
    case compact
    /// One line for each member or item, `indent` blanks (0 to 16) per level, a line break at the end.
    case pretty(indent: Int)
  }

  public enum Slashes: Sendable, Hashable {
    case plain
    /// `\/`, like Apple's encoder.
    case escaped
  }

  /// Smaller pieces cost a system call each, larger ones only memory.
  private static let pieceSize = 64 << 10

  private let generator: YajlGenerator
  private let layout: Layout
  private var nesting = JSONNesting()
  private var drainedCount = 0

  public init(layout: Layout = .compact, slashes: Slashes = .plain) {
    let indent: Int? =
      switch layout {
      case .compact: nil
      case .pretty(let indent): indent
      }
    generator = YajlGenerator(indent: indent, escapesSlashes: slashes == .escaped)
    self.layout = layout
  }
}

// MARK: Containers and keys

extension JSONEventWriter {
  public mutating func beginObject() {
    nesting.begin(.object)
    generator.beginObject()
  }

  public mutating func endObject() {
    nesting.end(.object)
    generator.endObject()
  }

  public mutating func beginArray() {
    nesting.begin(.array)
    generator.beginArray()
  }

  public mutating func endArray() {
    nesting.end(.array)
    generator.endArray()
  }

  public mutating func key(_ name: String) {
    nesting.key()
    splice(name)
  }

  /// Writes a key given as UTF-8 bytes.
  public mutating func key(utf8 name: Span<UInt8>) {
    nesting.key()
    name.withUnsafeBufferPointer { splice($0) }
  }

}

// MARK: Scalars

extension JSONEventWriter {
  public mutating func string(_ text: String) {
    nesting.scalar()
    splice(text)
  }

  /// Writes a string given as UTF-8 bytes.
  public mutating func string(utf8 text: Span<UInt8>) {
    nesting.scalar()
    text.withUnsafeBufferPointer { splice($0) }
  }

  public mutating func integer(_ value: Int64) { integer(value.magnitude, isNegative: value < 0) }

  // Disfavoured, so that a literal is an Int64.
  @_disfavoredOverload
  public mutating func integer(_ value: UInt64) { integer(value, isNegative: false) }

  private mutating func integer(_ magnitude: UInt64, isNegative: Bool) {
    nesting.scalar()
    // yajl_gen_integer uses printf, which takes several times as long as these divisions.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var rest = magnitude
      var start = digits.count
      repeat {
        start -= 1
        digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      if isNegative {
        start -= 1
        digits[start] = UInt8(ascii: "-")
      }
      spliceNumber(UnsafeBufferPointer(rebasing: digits[start...]))
    }
  }

  /// Writes the shortest digits that read back as `value`, which must be finite.
  public mutating func number(_ value: Double) {
    precondition(value.isFinite, "JSON can't represent \(value)")
    number(text: value.description)
  }

  /// Writes a number, digit for digit as in `text`, such as a decimal's description.
  public mutating func number(text: String) {
    nesting.scalar()
    var text = text
    text.withUTF8 { spliceNumber($0) }
  }

  /// Writes a number, digit for digit as in the ASCII bytes.
  public mutating func number(utf8 text: Span<UInt8>) {
    nesting.scalar()
    text.withUnsafeBufferPointer { spliceNumber($0) }
  }

  public mutating func boolean(_ value: Bool) {
    nesting.scalar()
    generator.boolean(value)
  }

  public mutating func null() {
    nesting.scalar()
    generator.null()
  }

  /// Writes items of an array, or a value and further members of an object, that another writer of the same layout has written at the
  /// same depth.
  package mutating func items(_ text: [UInt8]) {
    nesting.scalar()
    text.withUnsafeBufferPointer { text in
      // What precedes the first one is written here.
      let text = text.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ":") }
      if let start = text.base.baseAddress { generator.number(start + text.startIndex, count: text.count) }
    }
  }

  private func splice(_ text: String) {
    var text = text
    // Swift strings are always valid.
    text.withUTF8 { spliceValid($0) }
  }

  private func splice(_ text: UnsafeBufferPointer<UInt8>) {
    if let start = text.baseAddress {
      var incomplete: CInt = 0
      precondition(coffer_utf8_prefix(start, text.count, &incomplete) == text.count, "the text is not UTF-8")
    }
    spliceValid(text)
  }

  private func spliceValid(_ text: UnsafeBufferPointer<UInt8>) {
    if let start = text.baseAddress {
      generator.string(start, count: text.count)
    } else {
      let empty: StaticString = ""
      generator.string(empty.utf8Start, count: 0)
    }
  }

  private func spliceNumber(_ text: UnsafeBufferPointer<UInt8>) {
    guard let start = text.baseAddress, NumberText.isNumber(text) else {
      preconditionFailure("'\(String(decoding: text, as: UTF8.self))' is not a JSON number")
    }
    generator.number(start, count: text.count)
  }
}

// MARK: Draining

extension JSONEventWriter {
  /// The bytes written so far, drained or not.
  public var byteCount: Int { drainedCount + generator.buffer.count }

  /// Writes the buffer to `sink` if it holds at least 64 KiB. Call it after every record.
  public mutating func drain(to sink: inout some ByteSink) throws(CofferError) {
    if generator.buffer.count >= Self.pieceSize { try flush(to: &sink) }
  }

  /// Writes the whole buffer to `sink`.
  public mutating func flush(to sink: inout some ByteSink) throws(CofferError) {
    let buffer = generator.buffer
    guard !buffer.isEmpty else { return }
    try sink.write(buffer)
    drainedCount += buffer.count
    generator.clear()
  }

  /// Writes the rest of a document, which must be complete.
  public mutating func finish(to sink: inout some ByteSink) throws(CofferError) {
    precondition(nesting.isComplete, "the document is not complete")
    try flush(to: &sink)
  }

  /// Ends the line after a complete document, so that another one can follow: JSON Lines.
  public mutating func endLine() {
    precondition(nesting.isComplete, "the document is not complete")
    // The pretty layout has already broken the line.
    generator.reset(separated: layout == .compact)
    nesting = JSONNesting()
  }
}

extension JSONEventWriter {
  /// Writes an event of a run: a number digit for digit, a string or key with its escapes resolved.
  ///
  /// Documents of more than 127 levels can't be written: set the reader's limit accordingly.
  public mutating func write(eventAt index: Int, of events: borrowing EventRun) {
    write(events.batch[index], in: events.batch)
  }

  /// Writes an event that was read.
  package mutating func write(_ event: Event, in batch: EventBatch) {
    switch event.kind {
    case .null: null()
    case .false: boolean(false)
    case .true: boolean(true)
    case .number:
      nesting.scalar()
      batch.text(of: event).withUnsafeBytes { spliceNumber($0.bindMemory(to: UInt8.self)) }
    case .string:
      nesting.scalar()
      batch.text(of: event).withUnsafeBytes { splice($0.bindMemory(to: UInt8.self)) }
    case .key:
      nesting.key()
      batch.text(of: event).withUnsafeBytes { splice($0.bindMemory(to: UInt8.self)) }
    case .arrayStart: beginArray()
    case .objectStart: beginObject()
    case .arrayEnd: endArray()
    case .objectEnd: endObject()
    }
  }
}

extension FormatLayout {
  package init(_ layout: JSONEventWriter.Layout) {
    switch layout {
    case .compact: self = .compact
    case .pretty(let indent): self = .pretty(indent: indent)
    }
  }
}

/// Tracks the open containers while JSON is written, and what may come next.
///
/// yajl_gen can't report this: it accepts the wrong bracket, crashes on an extra one, and corrupts its own state after 127
/// levels.
struct JSONNesting {
  /// yajl_gen's limit (`YAJL_MAX_DEPTH` is 128, and the last level can't be opened).
  static let deepest = 127

  enum Container: UInt128 { case array = 0, object = 1 }

  private enum Expectation {
    /// The root value, or an array's next item or its end.
    case value
    /// An object's next key or its end.
    case key
    /// The value of the key just written.
    case memberValue
    /// The root value is complete.
    case nothing
  }

  private var depth = 0
  /// One bit for each open container, the innermost in the lowest place; 127 levels fit into 128 bits.
  private var containers: UInt128 = 0
  private var expectation = Expectation.value

  var isComplete: Bool { expectation == .nothing }

  mutating func key() {
    precondition(expectation == .key, "a key where a value is expected")
    expectation = .memberValue
  }

  mutating func scalar() {
    expectValue()
    expectNext()
  }

  mutating func begin(_ container: Container) {
    expectValue()
    precondition(depth < Self.deepest, "more than \(Self.deepest) levels of nesting")
    depth += 1
    containers = containers << 1 | container.rawValue
    expectation = container == .object ? .key : .value
  }

  mutating func end(_ container: Container) {
    precondition(depth > 0, "no container is open")
    precondition(containers & 1 == container.rawValue, "the wrong closing bracket")
    precondition(expectation != .memberValue, "a key without its value")
    depth -= 1
    containers >>= 1
    expectNext()
  }

  private func expectValue() {
    precondition(expectation == .value || expectation == .memberValue, "a value where a key is expected, or after the end")
  }

  /// After a complete value, the outer container determines what comes next.
  private mutating func expectNext() {
    if depth == 0 {
      expectation = .nothing
    } else {
      expectation = containers & 1 == Container.object.rawValue ? .key : .value
    }
  }
}

/// The only owner of a `yajl_gen` and its text.
///
/// yajl_gen writes commas, indentation and escapes. ``JSONNesting`` prevents the errors that it doesn't detect (a key instead of
/// a value, the wrong bracket, too many levels), so every call here succeeds, and any other status is a programming error.
struct YajlGenerator: ~Copyable {
  private let handle: yajl_gen
  /// The output of yajl_gen, which keeps the address.
  private let text: UnsafeMutablePointer<coffer_yajl_text>

  /// yajl_gen keeps the pointer to its indent string, which must therefore live as long as the process.
  private static let blanks: StaticString = "                "
  static let widestIndent = blanks.utf8CodeUnitCount

  /// - Parameter indent: the number of blanks per level, at most ``widestIndent``, or `nil` for text on one line.
  init(indent: Int?, escapesSlashes: Bool) {
    guard let handle = yajl_gen_alloc(nil) else { preconditionFailure("out of memory") }
    self.handle = handle
    text = .allocate(capacity: 1)
    text.initialize(to: coffer_yajl_text())
    _ = coffer_yajl_gen_print_to(handle, text)
    if let indent {
      precondition((0...Self.widestIndent).contains(indent), "an indent of \(indent) blanks is out of range")
      let start = Self.blanks.utf8Start + (Self.widestIndent - indent)
      start.withMemoryRebound(to: CChar.self, capacity: indent + 1) { text in
        _ = coffer_yajl_gen_beautify(handle, text)
      }
    }
    if escapesSlashes { _ = coffer_yajl_gen_escape_solidus(handle) }
  }

  deinit {
    yajl_gen_free(handle)
    coffer_yajl_text_free(text)
    text.deallocate()
  }

  func beginObject() { check(yajl_gen_map_open(handle)) }
  func endObject() { check(yajl_gen_map_close(handle)) }
  func beginArray() { check(yajl_gen_array_open(handle)) }
  func endArray() { check(yajl_gen_array_close(handle)) }
  func null() { check(yajl_gen_null(handle)) }
  func boolean(_ value: Bool) { check(yajl_gen_bool(handle, value ? 1 : 0)) }

  /// Writes a key or a string: yajl_gen distinguishes them by its state.
  func string(_ start: UnsafePointer<UInt8>, count: Int) { check(yajl_gen_string(handle, start, count)) }

  /// Copies the number's text unchanged.
  func number(_ start: UnsafePointer<UInt8>, count: Int) {
    start.withMemoryRebound(to: CChar.self, capacity: count) { check(yajl_gen_number(handle, $0, count)) }
  }

  /// Prepares for another root value, after a line break if `separated`.
  func reset(separated: Bool) { yajl_gen_reset(handle, separated ? "\n" : nil) }

  /// The text since the last `clear()`; valid until the next call.
  var buffer: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: text.pointee.start, count: text.pointee.end - text.pointee.start)
  }

  /// Empties the buffer and keeps its capacity.
  func clear() { text.pointee.end = text.pointee.start }

  private func check(_ status: yajl_gen_status) {
    precondition(status == yajl_gen_status_ok, "yajl_gen returned \(status.rawValue)")
  }
}
