import ByteStreams
internal import CYAML
import JSONEvents

/// The sole owner of a `yaml_parser_t` and of the text that it reads.
///
/// libyaml's marks count Unicode scalar values, and its lines end with any of YAML's line breaks. Places are recounted here, as
/// for JSON: in bytes, and with line feeds as the only line ends.
struct YAMLEventReader: ~Copyable {
  /// The parser is on the heap, because libyaml keeps pointers into it.
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let text: UnsafeMutableBufferPointer<UInt8>
  /// The byte-order mark is not part of the text.
  private let textStart: Int

  /// The last requested place. Marks come in order, so all of them together cost one walk.
  private var index = 0
  private var offset = 0
  private var line = 1
  private var column = 1

  /// libyaml compares each directive with all earlier ones.
  private static let directiveLimit = 100
  private var hasStarted = false

  init(_ bytes: [UInt8]) {
    textStart = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    text = .allocate(capacity: bytes.count - textStart)
    _ = text.initialize(from: bytes[textStart...])
    parser = .allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    guard yaml_parser_initialize(parser) == 1 else { preconditionFailure("out of memory") }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, text.baseAddress, text.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    text.deallocate()
  }

  /// Returns the next event. Nothing follows a stream's end.
  mutating func next() throws(YAMLSyntaxError) -> YAMLEvent {
    if !hasStarted, let start = excessDirective {
      throw YAMLSyntaxError(message: "there are more than \(Self.directiveLimit) directives", position: position(ofByte: start))
    }
    hasStarted = true
    while true {
      var event = yaml_event_t()
      guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxError() }
      defer { yaml_event_delete(&event) }
      if let kind = Self.kind(of: event) { return YAMLEvent(kind: kind, position: position(of: event.start_mark)) }
    }
  }

  /// The start of the first line with a directive (`%TAG`) beyond the limit.
  private var excessDirective: Int? {
    var count = 0
    for start in text.indices where text[start] == UInt8(ascii: "%") && (start == 0 || text[start - 1] == UInt8(ascii: "\n")) {
      count += 1
      if count > Self.directiveLimit { return start }
    }
    return nil
  }

  /// Returns `nil` for events without values.
  private static func kind(of event: yaml_event_t) -> YAMLEvent.Kind? {
    switch event.type {
    case YAML_DOCUMENT_START_EVENT: return .documentStart
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      return .scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE, properties(scalar.anchor, scalar.tag))
    case YAML_SEQUENCE_START_EVENT:
      return .sequenceStart(properties(event.data.sequence_start.anchor, event.data.sequence_start.tag))
    case YAML_MAPPING_START_EVENT:
      return .mappingStart(properties(event.data.mapping_start.anchor, event.data.mapping_start.tag))
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return .end
    case YAML_ALIAS_EVENT: return .alias(String(cString: event.data.alias.anchor))
    case YAML_STREAM_END_EVENT: return .streamEnd
    default: return nil
    }
  }

  private static func properties(
    _ anchor: UnsafeMutablePointer<UInt8>?, _ tag: UnsafeMutablePointer<UInt8>?
  ) -> YAMLEvent.Properties {
    YAMLEvent.Properties(anchor: anchor.map { String(cString: $0) }, tag: tag.map { String(cString: $0) })
  }

  // MARK: Errors

  private mutating func syntaxError() -> YAMLSyntaxError {
    let state = parser.pointee
    let problem = state.problem.map { String(cString: $0) } ?? "out of memory"
    if state.error == YAML_READER_ERROR {
      // The only kind of error without a mark.
      return YAMLSyntaxError(message: problem, position: position(ofByte: state.problem_offset))
    }
    var message = problem
    if let context = state.context {
      message += " \(String(cString: context))"
      if state.context_mark.line != state.problem_mark.line {
        message += ", which begins in line \(position(of: state.context_mark).line)"
      }
    }
    let position = position(of: state.problem_mark)
    if problem == "found character that cannot start any token", offset < text.count {
      message =
        text[offset] == UInt8(ascii: "\t")
        ? "a tab is not allowed here: use spaces"
        : "'\(Character(Unicode.Scalar(text[offset])))' can't begin a value: put the value in quotes"
    }
    return YAMLSyntaxError(message: message, position: position)
  }

  // MARK: Places

  private mutating func position(of mark: yaml_mark_t) -> TextPosition {
    // An error's context begins before the last place read.
    if mark.index < index { (index, offset, line, column) = (0, 0, 1, 1) }
    while index < mark.index, offset < text.count {
      let isLineEnd = text[offset] == UInt8(ascii: "\n")
      repeat { offset += 1 } while offset < text.count && text[offset] & 0xC0 == 0x80
      index += 1
      (line, column) = isLineEnd ? (line + 1, 1) : (line, column + 1)
    }
    return TextPosition(offset: textStart + offset, line: line, column: column)
  }

  private func position(ofByte offset: Int) -> TextPosition {
    let before = text[..<min(offset, text.count)]
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return TextPosition(
      offset: textStart + before.count, line: 1 + before.count { $0 == UInt8(ascii: "\n") },
      column: 1 + before[lineStart...].count { $0 & 0xC0 != 0x80 })
  }
}
