import ByteStreams

/// Describes the error in bytes that yajl has rejected: what was expected, and what was found.
///
/// yajl's own messages quote the input with malformed UTF-8 and state no expectation. This type only examines the bytes after the
/// last event, once, for a document that has already failed.
package struct SyntaxDiagnosis {
  /// The separator after the last event that is no longer in the buffer.
  enum Separator {
    case none, space, comma, colon

    /// Finds the last separator in white space and separators, `nil` if there are none: white space counts only without any other.
    init?(_ bytes: ByteView) {
      var found: Separator? = bytes.count > 0 ? .space : nil
      for index in 0..<bytes.count {
        if bytes[index] == UInt8(ascii: ",") { found = .comma }
        if bytes[index] == UInt8(ascii: ":") { found = .colon }
      }
      guard let found else { return nil }
      self = found
    }
  }

  private enum Expectation: String {
    case value = "a value"
    case valueOrArrayEnd = "a value or ']'"
    case key = "a key in double quotes"
    case keyOrObjectEnd = "a key in double quotes or '}'"
    case colon = "':' after the key"
    case commaOrArrayEnd = "',' or ']'"
    case commaOrObjectEnd = "',' or '}'"

    var takesValue: Bool { self == .value || self == .valueOrArrayEnd }
    var takesString: Bool { takesValue || self == .key || self == .keyOrObjectEnd }
  }

  private(set) var code = CofferError.Code.syntax
  private(set) var message = "the text is not JSON"
  /// The message without any content of the text, or `nil` if it is the same.
  private(set) var redactedMessage: String?
  /// The place, relative to the start of the bytes.
  private(set) var index = 0
  /// The start of the token that is incomplete at the end of the document.
  private(set) var unfinishedToken: Int?

  /// True if the token at `index` is not allowed there, regardless of its content.
  private(set) var isUnexpected = false

  private let bytes: ByteView
  private var expectation: Expectation
  /// True if the expected value or key is one after a comma.
  private var followsComma: Bool
  private let followsNumber: Bool
  /// True if the bytes can't belong to the token of the last event.
  private let isApart: Bool
  private let depth: Int
  private let unit: TextUnit

  /// - Parameters:
  ///   - bytes: the bytes after the last event.
  ///   - last: the kind of that event, `nil` at the document's start.
  ///   - inObject: true if the innermost open bracket is an object's.
  init(of bytes: ByteView, after last: Event.Kind?, inObject: Bool, depth: Int, separator: Separator, in unit: TextUnit) {
    self.bytes = bytes
    self.unit = unit
    self.depth = depth
    followsComma = false
    followsNumber = last == .number
    // Two tokens side by side may be one that is malformed, but not after a bracket or a quotation mark.
    isApart = separator != .none || ![.null, .false, .true, .number].contains(last)
    switch last {
    case nil: expectation = .value
    case .key: expectation = separator == .colon ? .value : .colon
    case .arrayStart: expectation = .valueOrArrayEnd
    case .objectStart: expectation = .keyOrObjectEnd
    default:
      if separator == .comma {
        followsComma = true
        expectation = inObject ? .key : .value
      } else {
        expectation = inObject ? .commaOrObjectEnd : .commaOrArrayEnd
      }
    }
    diagnose(isEmptyDocument: last == nil)
  }

  private mutating func diagnose(isEmptyDocument: Bool) {
    while true {
      while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
      guard index < bytes.count else {
        if isEmptyDocument {
          fail(.empty, "the document is empty", at: index)
        } else {
          let open = depth == 1 ? "1 bracket" : "\(depth) brackets"
          fail(unit.truncation, "\(unit.end) where \(expectation.rawValue) was expected, with \(open) open", at: index)
        }
        return
      }
      switch (bytes[index], expectation) {
      case (UInt8(ascii: ":"), .colon): expectation = .value
      case (UInt8(ascii: ","), .commaOrArrayEnd): (expectation, followsComma) = (.value, true)
      case (UInt8(ascii: ","), .commaOrObjectEnd): (expectation, followsComma) = (.key, true)
      case (UInt8(ascii: "\""), _) where expectation.takesString: return diagnoseString()
      case (UInt8(ascii: "-"), _) where expectation.takesValue,
        (UInt8(ascii: "0")...UInt8(ascii: "9"), _) where expectation.takesValue:
        return diagnoseNumber()
      case (UInt8(ascii: "a")...UInt8(ascii: "z"), _) where expectation.takesValue: return diagnoseLiteral()
      default:
        isUnexpected = true
        let expected = "expected \(expectation.rawValue), found"
        let found = "\(expected) \(Self.name(of: bytes.dropFirst(index)))"
        guard let habit else { return fail(.syntax, found, redacted: "\(expected) something else", at: index) }
        return fail(
          .syntax, habit.message(found), redacted: habit.message("\(expected) something else", redacts: true), at: index)
      }
      index += 1
    }
  }

  private mutating func diagnoseString() {
    let start = index
    var at = start + 1
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: "\""): return
      case ..<0x20:
        return fail(
          .syntax, "a string contains \(Self.name(of: bytes.dropFirst(at))), which must be escaped",
          redacted: "a string contains a control character, which must be escaped", at: at)
      case UInt8(ascii: "\\"):
        guard at + 1 < bytes.count else { return failUnfinished("a string", from: start) }
        let escape = bytes[at + 1]
        if escape == UInt8(ascii: "u") {
          for digit in at + 2..<at + 6 {
            guard digit < bytes.count else { return failUnfinished("a string", from: start) }
            if !Unicode.Scalar(bytes[digit]).properties.isASCIIHexDigit {
              return fail(.syntax, "the escape \\u needs four hexadecimal digits", at: at)
            }
          }
        } else if !"\"\\/bfnrt".utf8.contains(escape) {
          return fail(
            .syntax, "a string contains an invalid escape: \\ before \(Self.name(of: bytes.dropFirst(at + 1)))",
            redacted: "a string contains an invalid escape", at: at)
        }
        at += 2
      default: at += 1
      }
    }
    failUnfinished("a string", from: start)
  }

  private mutating func diagnoseNumber() {
    let start = index
    let rest = bytes.dropFirst(start)
    let (length, missing) = NumberText.scan(UnsafeBufferPointer(start: rest.base, count: rest.count))
    let end = start + length
    if let missing {
      if missing == .wholeDigits, end > start, end < bytes.count, let word = Habit.wordValue(word(at: end)) {
        let message = Habit.foreignWord("-" + word).message("")
        return fail(.syntax, message, redacted: "expected a digit after '-', found something else", at: end)
      }
      if end >= bytes.count { return failUnfinished("a number", from: start) }
      return fail(
        .syntax, "expected \(missing.rawValue), found \(Self.name(of: bytes.dropFirst(end)))",
        redacted: "expected \(missing.rawValue), found something else", at: end)
    }
    let isLeadingZero = end < bytes.count && bytes[end - 1] == UInt8(ascii: "0") && Self.isDigit(bytes[end])
    if isLeadingZero { return fail(.syntax, Habit.leadingZero.message(""), at: end - 1) }
    fail(.syntax, "a number is not followed by a comma, a closing bracket or white space", at: end)
  }

  private mutating func diagnoseLiteral() {
    let word = word(at: index)
    if index + word.utf8.count == bytes.count, ["true", "false", "null"].contains(where: { $0.hasPrefix(word) && $0 != word }) {
      return failUnfinished("the word '\(word)'", redacted: "a word", from: index)
    }
    let found = "expected \(expectation.rawValue), found '\(word)'"
    fail(
      .syntax, Habit.wordValue(word).map { Habit.foreignWord($0).message(found) } ?? found,
      redacted: "expected \(expectation.rawValue), found a word", at: index)
  }

  private mutating func failUnfinished(_ what: String, redacted: String? = nil, from start: Int) {
    fail(unit.truncation, "\(unit.end) inside \(what)", redacted: "\(unit.end) inside \(redacted ?? what)", at: bytes.count)
    unfinishedToken = start
  }

  private mutating func fail(_ code: CofferError.Code, _ message: String, redacted: String? = nil, at index: Int) {
    self.code = code
    self.message = message
    redactedMessage = redacted
    self.index = index
  }
}

// MARK: Habits

extension SyntaxDiagnosis {
  /// What other notations allow, and JSON doesn't.
  enum Habit {
    case comment, trailingComma(before: String), singleQuotes, curlyQuotes, missingComma
    case bareKey(String)
    /// A value of another language: NaN, None.
    case foreignWord(String)
    case leadingPlus, leadingPoint, leadingZero

    /// - Parameter found: what was expected and found, as without a habit.
    func message(_ found: String, redacts: Bool = false) -> String {
      switch self {
      case .comment: "JSON doesn't allow comments"
      case .trailingComma(let bracket): "JSON doesn't allow a comma before '\(bracket)'"
      case .singleQuotes: "JSON doesn't allow single quotes: use double quotes"
      case .curlyQuotes: "JSON doesn't allow typographic quotes: use straight double quotes"
      case .missingComma: "\(found): a comma is missing"
      case .bareKey(let name):
        "JSON doesn't allow a key without double quotes" + (redacts ? "" : ": write \"\(name)\"")
      case .foreignWord(let word):
        redacts ? found : "JSON doesn't allow \(word)" + (Self.foreignWords[word].map { ": write \($0)" } ?? "")
      case .leadingPlus: "JSON doesn't allow '+' before a number"
      case .leadingZero: "JSON doesn't allow leading zeros"
      case .leadingPoint: "JSON doesn't allow '.' at the start of a number: write 0 before it"
      }
    }

    /// Values of other languages with their JSON, as far as there is one.
    private static let foreignWords: [String: String] = [
      "None": "null", "nil": "null", "undefined": "null", "NULL": "null", "Null": "null", "True": "true", "TRUE": "true",
      "False": "false", "FALSE": "false",
    ]

    /// Returns the word if it is a value of another language.
    static func wordValue(_ word: String) -> String? {
      foreignWords[word] != nil || ["NaN", "nan", "Infinity", "Inf", "inf"].contains(word) ? word : nil
    }

    /// Returns the habit that something follows a complete document, if it is one.
    init?(after bytes: ByteView) {
      guard SyntaxDiagnosis.isComment(bytes) else { return nil }
      self = .comment
    }
  }

  /// The habit that explains the unexpected byte at `index`.
  private var habit: Habit? {
    let rest = bytes.dropFirst(index)
    if Self.isComment(rest) { return .comment }
    switch (rest[0], expectation) {
    case (UInt8(ascii: "]"), .value) where followsComma: return .trailingComma(before: "]")
    case (UInt8(ascii: "}"), .key): return .trailingComma(before: "}")
    case (UInt8(ascii: "'"), _) where expectation.takesString: return .singleQuotes
    case (UInt8(ascii: "+"), _) where expectation.takesValue: return .leadingPlus
    case (UInt8(ascii: "."), _) where expectation.takesValue: return .leadingPoint
    case (0xE2, _) where expectation.takesString && ["“", "”", "‘", "’"].contains(rest.prefix(3).string):
      return .curlyQuotes
    case (let byte, .key), (let byte, .keyOrObjectEnd):
      return Self.isNameByte(byte) ? .bareKey(word(at: index)) : nil
    case (let byte, .commaOrArrayEnd), (let byte, .commaOrObjectEnd):
      let isApart = isApart || index > 0
      if !isApart, followsNumber, Self.isDigit(byte) { return .leadingZero }
      // A value that is too long, such as truefalse, is no second one.
      let isSecond = "\"{[".utf8.contains(byte) || isApart && (Self.isTokenStart(byte) || "tfn".utf8.contains(byte))
      return isSecond ? .missingComma : nil
    default: return expectation.takesValue ? Habit.wordValue(word(at: index)).map(Habit.foreignWord) : nil
    }
  }

  /// Returns the word at an index, cut to 20 characters. The reader has made 64 bytes available, if the document has them.
  private func word(at index: Int) -> String {
    var end = index
    while end < bytes.count, end - index < 20, Self.isNameByte(bytes[end]) { end += 1 }
    return bytes.prefix(end).dropFirst(index).string
  }

  private static func isComment(_ bytes: ByteView) -> Bool {
    bytes[0] == UInt8(ascii: "#")
      || bytes[0] == UInt8(ascii: "/") && bytes.count > 1 && (bytes[1] == UInt8(ascii: "/") || bytes[1] == UInt8(ascii: "*"))
  }
}

// MARK: Bytes

extension SyntaxDiagnosis {
  package static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// Returns true if a string or a number can begin with this byte.
  static func isTokenStart(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "-") || isDigit(byte) }

  static func isNumberByte(_ byte: UInt8) -> Bool { isDigit(byte) || "+-.eE".utf8.contains(byte) }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
  }

  /// Returns the name of the first character in `bytes` for a message.
  static func name(of bytes: ByteView) -> String {
    guard bytes.count > 0 else { return "the end of the document" }
    switch bytes[0] {
    case UInt8(ascii: "\""): return "a string"
    case 0x0B: return "vertical tab"
    case 0x0C: return "form feed"
    case ..<0x20, 0x7F: return "control character U+" + hexadecimal(UInt32(bytes[0]), digits: 4)
    case ..<0x80: return "'\(Character(Unicode.Scalar(bytes[0])))'"
    default:
      guard let scalar = bytes.prefix(4).string.unicodeScalars.first, scalar != "\u{FFFD}" else {
        return "byte 0x" + hexadecimal(UInt32(bytes[0]), digits: 2)
      }
      return isVisible(scalar) ? "'\(Character(scalar))'" : "U+" + hexadecimal(scalar.value, digits: 4)
    }
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .spaceSeparator, .unassigned: false
    default: !scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  /// Describes the invalid UTF-8 sequence at the start of `bytes`.
  static func invalidUTF8(_ bytes: ByteView) -> String {
    let lead = bytes[0]
    let start = "byte 0x\(hexadecimal(UInt32(lead), digits: 2)) "
    switch lead {
    case 0x80...0xBF: return start + "is a UTF-8 continuation byte without a lead byte"
    case 0xC0, 0xC1: return start + "begins an overlong form, which UTF-8 forbids"
    case 0xF5...0xFF: return start + "never occurs in UTF-8"
    default: break
    }
    switch (lead, bytes.count > 1 ? bytes[1] : 0) {
    case (0xE0, 0x80..<0xA0), (0xF0, 0x80..<0x90): return start + "begins an overlong form, which UTF-8 forbids"
    case (0xED, 0xA0...0xBF): return start + "begins a surrogate, which UTF-8 forbids"
    case (0xF4, 0x90...0xBF): return start + "begins a code point above U+10FFFF"
    default: return start + "begins a UTF-8 sequence that is not completed"
    }
  }

  /// Returns the name of the compression or archive that a document's first bytes indicate.
  package static func foreignData(_ bytes: [UInt8]) -> String? {
    let signatures: KeyValuePairs<String, [UInt8]> = [
      "gzip data": [0x1F, 0x8B], "zstd data": [0x28, 0xB5, 0x2F, 0xFD], "LZ4 data": [0x04, 0x22, 0x4D, 0x18],
      "xz data": [0xFD, 0x37, 0x7A, 0x58], "a ZIP archive": [0x50, 0x4B, 0x03, 0x04],
    ]
    return signatures.first { bytes.starts(with: $0.value) }?.key
  }

  /// Returns the encoding indicated by a document's first bytes if it is not UTF-8 (RFC 4627, section 3).
  static func foreignEncoding(_ bytes: [UInt8]) -> String? {
    let start = (0..<4).map { $0 < bytes.count ? bytes[$0] : nil }
    switch (start[0], start[1], start[2], start[3]) {
    case (0x00, 0x00, 0xFE, 0xFF), (0x00, 0x00, 0x00, .some(1...)): return "UTF-32 (big endian)"
    case (0xFF, 0xFE, 0x00, 0x00), (.some(1...), 0x00, 0x00, 0x00): return "UTF-32 (little endian)"
    case (0xFE, 0xFF, _, _), (0x00, .some(1...), _, _): return "UTF-16 (big endian)"
    case (0xFF, 0xFE, _, _), (.some(1...), 0x00, _, _): return "UTF-16 (little endian)"
    default: return nil
    }
  }

  private static func hexadecimal(_ value: UInt32, digits count: Int) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}

/// The unit that a reader reads, for its errors.
package enum TextUnit: Equatable {
  case document
  /// A line that a line break ends, so that it can't be truncated.
  case line
  /// The document's last line, without a line break.
  case lastLine
  /// A value of a sequence.
  case value(isLast: Bool)

  var end: String {
    switch self {
    case .line: "the line ends"
    case .value(isLast: false): "the next value begins"
    default: "the document ends"
    }
  }

  var completion: String {
    switch self {
    case .document: "the document is complete"
    case .line, .lastLine: "the line's value is complete"
    case .value: "the value is complete"
    }
  }

  /// The code of an error at the end of the text.
  var truncation: CofferError.Code { self == .line ? .syntax : .truncated }
}
