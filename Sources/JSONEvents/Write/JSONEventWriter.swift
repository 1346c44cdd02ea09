public import ByteStreams
import CByteScan

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

  /// The most open brackets: one bit each.
  private static let deepest = 127

  private var text: PlainFormatter
  /// The open containers, the innermost in the lowest place; 1 for an object.
  private var containers: UInt128 = 0
  private var drainedCount = 0

  public init(layout: Layout = .compact, slashes: Slashes = .plain) {
    var format: FormatLayout =
      switch layout {
      case .compact: .compact
      case .pretty(let indent): .pretty(indent: indent)
      }
    format.escapesSlashes = slashes == .escaped
    format.opensEmptyContainers = format.indent != nil
    text = PlainFormatter(layout: format, at: .start)
  }
}

// MARK: Order

extension JSONEventWriter {
  private var isInObject: Bool { containers & 1 == 1 }

  private var isComplete: Bool { text.depth == 0 && text.last == .value }

  private func expectValue() {
    let isExpected = text.last == .key || !isInObject && (text.depth > 0 || text.last == .bracket)
    precondition(isExpected, "a value where a key is expected, or after the end")
  }

  private mutating func begin(isObject: Bool) {
    expectValue()
    precondition(text.depth < Self.deepest, "more than \(Self.deepest) levels of nesting")
    containers = containers << 1 | (isObject ? 1 : 0)
  }

  private mutating func end(isObject: Bool) {
    precondition(text.depth > 0, "no container is open")
    precondition(isInObject == isObject, "the wrong closing bracket")
    precondition(text.last != .key, "a key without its value")
    containers >>= 1
  }
}

// MARK: Containers and keys

extension JSONEventWriter {
  public mutating func beginObject() {
    begin(isObject: true)
    text.beginObject()
  }

  public mutating func endObject() {
    end(isObject: true)
    text.endObject()
  }

  public mutating func beginArray() {
    begin(isObject: false)
    text.beginArray()
  }

  public mutating func endArray() {
    end(isObject: false)
    text.endArray()
  }

  public mutating func key(_ name: String) {
    var name = name
    // Swift strings are always valid.
    name.withUTF8 { putKey(UnsafeRawBufferPointer($0)) }
  }

  /// Writes a key given as UTF-8 bytes.
  public mutating func key(utf8 name: Span<UInt8>) { name.withUnsafeBytes { putKey(Self.checked($0)) } }

  private mutating func putKey(_ name: UnsafeRawBufferPointer) {
    precondition(isInObject && text.last != .key, "a key where a value is expected")
    text.reserve(0)
    text.separate()
    text.buffer.append(quoting: name, escapesSlashes: text.layout.escapesSlashes)
    text.reserve(0)
    text.endKey()
  }

  private static func checked(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    if let start = text.bindMemory(to: UInt8.self).baseAddress {
      var incomplete: CInt = 0
      precondition(coffer_utf8_prefix(start, text.count, &incomplete) == text.count, "the text is not UTF-8")
    }
    return text
  }
}

// MARK: Scalars

extension JSONEventWriter {
  public mutating func string(_ value: String) {
    var value = value
    value.withUTF8 { putString(UnsafeRawBufferPointer($0)) }
  }

  /// Writes a string given as UTF-8 bytes.
  public mutating func string(utf8 value: Span<UInt8>) { value.withUnsafeBytes { putString(Self.checked($0)) } }

  public mutating func integer(_ value: Int64) {
    putScalar { $0.append(decimal: value.magnitude, isNegative: value < 0) }
  }

  // Disfavoured, so that a literal is an Int64.
  @_disfavoredOverload
  public mutating func integer(_ value: UInt64) { putScalar { $0.append(decimal: value) } }

  /// Writes the shortest digits that read back as `value`, which must be finite.
  public mutating func number(_ value: Double) {
    precondition(value.isFinite, "JSON can't represent \(value)")
    number(text: value.description)
  }

  /// Writes a number, digit for digit as in `text`, such as a decimal's description.
  public mutating func number(text: String) {
    var text = text
    text.withUTF8 { putNumber(UnsafeRawBufferPointer($0)) }
  }

  /// Writes a number, digit for digit as in the ASCII bytes.
  public mutating func number(utf8 text: Span<UInt8>) { text.withUnsafeBytes { putNumber($0) } }

  public mutating func boolean(_ value: Bool) { putWord(value ? "true" : "false") }

  public mutating func null() { putWord("null") }

  private mutating func putWord(_ word: StaticString) {
    putScalar { $0.append(UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)) }
  }

  private mutating func putNumber(_ text: UnsafeRawBufferPointer) {
    guard NumberText.isNumber(text.bindMemory(to: UInt8.self)) else {
      preconditionFailure("'\(String(decoding: text, as: UTF8.self))' is not a JSON number")
    }
    putScalar { $0.append(text) }
  }

  private mutating func putString(_ value: UnsafeRawBufferPointer) {
    let escapesSlashes = text.layout.escapesSlashes
    putScalar { $0.append(quoting: value, escapesSlashes: escapesSlashes) }
  }

  @inline(__always)
  private mutating func putScalar(_ append: (inout ByteBuffer) -> Void) {
    expectValue()
    text.reserve(0)
    text.separate()
    append(&text.buffer)
    text.reserve(0)
    text.endValue()
  }
}

// MARK: Draining

extension JSONEventWriter {
  /// The bytes written so far, drained or not.
  public var byteCount: Int { drainedCount + text.byteCount }

  /// Writes the buffer to `sink` if it holds at least 64 KiB. Call it after every record.
  public mutating func drain(to sink: inout some ByteSink) throws(CofferError) {
    let count = text.byteCount
    try text.drain(to: &sink)
    drainedCount += count - text.byteCount
  }

  /// Writes the whole buffer to `sink`.
  public mutating func flush(to sink: inout some ByteSink) throws(CofferError) {
    let count = text.byteCount
    try text.flush(to: &sink)
    drainedCount += count
  }

  /// Writes the rest of a document, which must be complete.
  public mutating func finish(to sink: inout some ByteSink) throws(CofferError) {
    precondition(isComplete, "the document is not complete")
    try flush(to: &sink)
  }

  /// Ends the line after a complete document, so that another one can follow: JSON Lines.
  public mutating func endLine() {
    precondition(isComplete, "the document is not complete")
    text.endLine()
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
    // The reader has checked what it read.
    case .number: batch.text(of: event).withUnsafeBytes { bytes in putScalar { $0.append(bytes) } }
    case .string: batch.text(of: event).withUnsafeBytes { putString($0) }
    case .key: batch.text(of: event).withUnsafeBytes { putKey($0) }
    case .arrayStart: beginArray()
    case .objectStart: beginObject()
    case .arrayEnd: endArray()
    case .objectEnd: endObject()
    }
  }
}
