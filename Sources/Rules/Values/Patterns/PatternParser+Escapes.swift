extension PatternParser {
  /// Reads `\d`, `\w`, `\s`, `\p{…}` and their complements. Returns `nil` and takes nothing if something else follows.
  mutating func readSetEscape(from offset: Int) throws(Pattern.CompileError) -> ScalarSet? {
    guard let letter = scanner.peek(1) else { return nil }
    switch letter {
    case "d", "D", "w", "W", "s", "S":
      scanner.take(2)
      return constantSet(letter)
    case "p", "P":
      scanner.take(2)
      return try readProperty(isNegated: letter == "P", from: offset)
    default: return nil
    }
  }

  private func constantSet(_ letter: Unicode.Scalar) -> ScalarSet {
    let word: ScalarSet = flags.ignoresCase ? .wordIgnoringCase : .word
    return switch letter {
    case "d": .digits
    case "D": ScalarSet.digits.complement
    case "w": word
    case "W": word.complement
    case "s": .whiteSpace
    default: ScalarSet.whiteSpace.complement
    }
  }

  /// Reads `{name}` or `{name=value}` after `\p`.
  private mutating func readProperty(isNegated: Bool, from offset: Int) throws(Pattern.CompileError) -> ScalarSet {
    let escape = isNegated ? "\\P" : "\\p"
    guard scanner.take(ifNext: "{") else { throw error("\(escape) takes a property in braces, as in \(escape){L}", at: offset) }
    var text = ""
    while let scalar = scanner.take() {
      if scalar != "}" {
        text.unicodeScalars.append(scalar)
        continue
      }
      guard let set = UnicodeProperty.set(text, isNegated: isNegated) else {
        throw error("\(UnicodeProperty.complaint(about: text)) in \(escape){…}", at: offset)
      }
      return set
    }
    throw error("\(escape){ is not closed", at: offset)
  }

  /// Reads the code point of an escape, which may be half a surrogate pair.
  mutating func readCharacterEscape(from offset: Int, inClass: Bool) throws(Pattern.CompileError) -> UInt32 {
    scanner.take()
    guard let letter = scanner.next else {
      throw error("the pattern ends with a backslash; write \\\\ for the character", at: offset)
    }
    if let control = Self.controls[letter] {
      scanner.take()
      return control
    }
    switch letter {
    case "c":
      guard let control = scanner.peek(1), control.isLetterOfASCII else {
        throw error("\\c takes an ASCII letter: \\cA is the character 1", at: offset)
      }
      scanner.take(2)
      return control.value % 32
    case "0":
      if let digit = scanner.peek(1), digit.isDigit { throw error(ForeignSyntax.octal, at: offset) }
      scanner.take()
      return 0
    case "x":
      guard let value = scanner.hexadecimal(2, at: 1) else {
        throw error("\\x takes two hexadecimal digits; write \\u{…} for more or fewer", at: offset)
      }
      scanner.take(3)
      return value
    case "u": return try readUnicodeEscape(from: offset)
    default:
      guard isIdentity(letter, inClass: inClass) else { throw error(ForeignSyntax.escape(letter, inClass: inClass), at: offset) }
      scanner.take()
      return letter.value
    }
  }

  /// Reads `uXXXX`, a surrogate pair of them, or `u{X…}`, after the backslash at `offset`.
  mutating func readUnicodeEscape(from offset: Int) throws(Pattern.CompileError) -> UInt32 {
    if scanner.peek(1) == "{" { return try readBracedEscape(from: offset) }
    guard let value = scanner.hexadecimal(4, at: 1) else {
      throw error("\\u takes four hexadecimal digits, or any number in braces: \\u00e9, \\u{1f600}", at: offset)
    }
    scanner.take(5)
    guard (0xD800...0xDBFF).contains(value), scanner.isNext("\\u"), let trail = scanner.hexadecimal(4, at: 2),
      (0xDC00...0xDFFF).contains(trail)
    else { return value }
    scanner.take(6)
    return 0x10000 + (value - 0xD800) << 10 + (trail - 0xDC00)
  }

  private mutating func readBracedEscape(from offset: Int) throws(Pattern.CompileError) -> UInt32 {
    scanner.take(2)
    guard scanner.next?.hexadecimalValue != nil else { throw error("\\u{…} takes hexadecimal digits", at: offset) }
    var value: UInt32 = 0
    while let digit = scanner.next?.hexadecimalValue {
      value = value << 4 | digit
      guard value <= 0x10FFFF else { throw error("\\u{…} is greater than the last code point, 10ffff", at: offset) }
      scanner.take()
    }
    guard scanner.take(ifNext: "}") else { throw error("\\u{…} takes hexadecimal digits up to its }", at: offset) }
    return value
  }

  private static let controls: [Unicode.Scalar: UInt32] = ["t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D]

  /// Returns true if a backslash before `scalar` means the character itself.
  private func isIdentity(_ scalar: Unicode.Scalar, inClass: Bool) -> Bool {
    if "^$\\.*+?()[]{}|/".unicodeScalars.contains(scalar) || (inClass && scalar == "-") { return true }
    return (0x20..<0x7F).contains(scalar.value) && !scalar.isDigit && !scalar.isLetterOfASCII
  }
}
