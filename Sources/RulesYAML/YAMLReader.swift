import ByteStreams
import CYAML
import JSONEvents
import Rules

/// Makes a rule document's values from YAML's events, one after the other. Nothing here is recursive, no matter how deep the text
/// nests.
///
/// An alias refers to a complete value. The total size of aliased values is limited, so that a few lines can't become a billion
/// values.
struct YAMLReader: ~Copyable {
  /// A complete value.
  private struct Node {
    let located: JSONValue.Located
    /// The approximate number of bytes if it was written out, more than any value takes in text.
    let weight: Int
    /// The nesting depth of its sequences and mappings.
    let height: Int
  }

  /// A sequence or mapping that has not ended yet.
  private struct Container {
    let isMapping: Bool
    let position: TextPosition
    let anchor: Int?
    var items: [JSONValue.Located] = []
    var members: [JSONValue.Member] = []
    var keys: [ExactText: TextPosition] = [:]
    var key: (text: String, position: TextPosition)?
    var weight = YAMLReader.nodeWeight
    var height = 1
  }

  private static let nodeWeight = 32

  private var parser: YAMLParser
  private var containers: [Container] = []
  private var root: JSONValue.Located?
  /// The last value with that name, as an index.
  private var anchors: [ExactText: Int] = [:]
  /// `nil` while the value is open.
  private var anchored: [Node?] = []
  /// The total weight of aliased values so far.
  private var repeatedWeight = 0

  init(_ bytes: [UInt8]) { parser = YAMLParser(bytes) }

  /// Reads the whole text, once.
  mutating func read() throws(CofferError) -> JSONValue.Located {
    while true {
      var event = yaml_event_t()
      do { try parser.parse(&event) } catch {
        throw self.error("not valid YAML: \(error.message)", at: error.position)
      }
      defer { yaml_event_delete(&event) }
      let position = parser.position(of: event.start_mark)
      switch event.type {
      case YAML_DOCUMENT_START_EVENT:
        if root != nil { throw error("a second document begins here: there must be only one", at: position) }
      case YAML_SCALAR_EVENT: try read(scalarOf: event, at: position)
      case YAML_SEQUENCE_START_EVENT:
        let start = event.data.sequence_start
        try open(isMapping: false, tag: start.tag, anchor: start.anchor, at: position)
      case YAML_MAPPING_START_EVENT:
        let start = event.data.mapping_start
        try open(isMapping: true, tag: start.tag, anchor: start.anchor, at: position)
      case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: close()
      case YAML_ALIAS_EVENT: try read(alias: String(cString: event.data.alias.anchor), at: position)
      case YAML_STREAM_END_EVENT:
        guard let root else { throw error("the document is empty", at: position) }
        return root
      default: break
      }
    }
  }

  /// Returns an error with the pointer of the surrounding value, as far as it is known.
  private func error(_ message: String, at position: TextPosition) -> CofferError {
    var pointer = ""
    for container in containers {
      if !container.isMapping {
        pointer += "/\(container.items.count)"
      } else if let key = container.key {
        pointer += "/" + key.text.pointerToken
      }
    }
    return CofferError(rules: message, at: pointer, position)
  }

  // MARK: Values

  private mutating func read(scalarOf event: yaml_event_t, at position: TextPosition) throws(CofferError) {
    let scalar = event.data.scalar
    try check(tag: scalar.tag, is: "str", at: position)
    let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
    // A plain scalar is neither quoted nor a block, so that its text determines the type.
    let isText = scalar.style != YAML_PLAIN_SCALAR_STYLE || scalar.tag != nil
    let isKey = expectsKey
    if isKey { try begin(key: text, isPlain: !isText, at: position) }
    guard let value = isText ? .string(text) : JSONValue(plain: text) else {
      // As a key, the number is text.
      if isKey, scalar.anchor == nil { return }
      throw error("'\(text)' is a number that JSON can't write: put it in quotes to make it a string", at: position)
    }
    let located = JSONValue.Located(value: value, position: position)
    let node = Node(located: located, weight: Self.nodeWeight + text.utf8.count, height: 0)
    if let anchor = scalar.anchor { anchored[register(anchor)] = node }
    if !isKey { add(node) }
  }

  private mutating func read(alias name: String, at position: TextPosition) throws(CofferError) {
    if expectsKey { throw error("a key can't be an alias", at: position) }
    guard let index = anchors[ExactText(name)] else { throw error("'*\(name)' refers to no earlier value", at: position) }
    guard let node = anchored[index] else { throw error("'*\(name)' is inside the value that it refers to", at: position) }
    repeatedWeight += node.weight
    guard repeatedWeight <= JSONValue.sizeLimit else {
      throw error(
        "aliases expand beyond a rule document's limit: \(JSONValue.sizeLimit >> 20) MiB, \(Self.nodeWeight) bytes per value "
          + "plus its text", at: position)
    }
    try checkDepth(of: node.height, at: position)
    add(node)
  }

  private mutating func add(_ node: Node) {
    guard !containers.isEmpty else {
      root = node.located
      return
    }
    // Change the container in place: a copy would copy its lists.
    let last = containers.count - 1
    containers[last].weight += node.weight
    containers[last].height = max(containers[last].height, node.height + 1)
    if let key = containers[last].key {
      containers[last].members.append(JSONValue.Member(key: key.text, keyPosition: key.position, value: node.located))
      containers[last].key = nil
    } else {
      containers[last].items.append(node.located)
    }
  }

  // MARK: Sequences and mappings

  private mutating func open(
    isMapping: Bool, tag: YAMLText?, anchor: YAMLText?, at position: TextPosition
  ) throws(CofferError) {
    if expectsKey { throw error("a key must be a string, not a \(isMapping ? "mapping" : "sequence")", at: position) }
    try check(tag: tag, is: isMapping ? "map" : "seq", at: position)
    try checkDepth(of: 1, at: position)
    containers.append(Container(isMapping: isMapping, position: position, anchor: anchor.map { register($0) }))
  }

  private mutating func close() {
    let closed = containers.removeLast()
    let value: JSONValue = closed.isMapping ? .object(closed.members) : .array(closed.items)
    let located = JSONValue.Located(value: value, position: closed.position)
    let node = Node(located: located, weight: closed.weight, height: closed.height)
    if let anchor = closed.anchor { anchored[anchor] = node }
    add(node)
  }

  private func checkDepth(of height: Int, at position: TextPosition) throws(CofferError) {
    if containers.count + height > JSONValue.depthLimit {
      throw error("values are nested deeper than \(JSONValue.depthLimit)", at: position)
    }
  }

  private var expectsKey: Bool { containers.last.map { $0.isMapping && $0.key == nil } ?? false }

  private mutating func begin(key: String, isPlain: Bool, at position: TextPosition) throws(CofferError) {
    if isPlain, key == "<<" { throw error("'<<' is not supported: use $ref or allOf, or quote it as a key", at: position) }
    let last = containers.count - 1
    containers[last].key = (key, position)
    containers[last].weight += key.utf8.count
    if let first = containers[last].keys.updateValue(position, forKey: ExactText(key)) {
      throw error("duplicate key '\(key)': first at line \(first.line), column \(first.column)", at: position)
    }
  }

  // MARK: Tags and anchors

  private func check(tag: YAMLText?, is name: String, at position: TextPosition) throws(CofferError) {
    guard let tag = tag.map({ String(cString: $0) }), tag != "!", tag != "tag:yaml.org,2002:\(name)" else { return }
    throw error("unknown tag '\(tag)': only !!str, !!seq and !!map are allowed, on values of their type", at: position)
  }

  private mutating func register(_ name: YAMLText) -> Int {
    anchors[ExactText(String(cString: name))] = anchored.count
    anchored.append(nil)
    return anchored.count - 1
  }
}

private typealias YAMLText = UnsafeMutablePointer<yaml_char_t>

/// The sole owner of a `yaml_parser_t` and of the text that it reads.
///
/// libyaml's marks count Unicode scalar values, and its lines end with any of YAML's line breaks. Places are recounted here, as
/// for JSON: in bytes, and with line feeds as the only line ends.
private struct YAMLParser: ~Copyable {
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

  /// Parses the next event, which the caller deletes. Nothing follows a stream's end.
  mutating func parse(_ event: inout yaml_event_t) throws(YAMLSyntaxError) {
    if !hasStarted, let start = excessDirective {
      throw YAMLSyntaxError(message: "there are more than \(Self.directiveLimit) directives", position: position(ofByte: start))
    }
    hasStarted = true
    guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxError() }
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

  mutating func position(of mark: yaml_mark_t) -> TextPosition {
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

/// The reason why a text is not YAML.
private struct YAMLSyntaxError: Error {
  let message: String
  let position: TextPosition
}
