extension PatternParser {
  /// Reads `<name>` of a group or after `\k`.
  mutating func readGroupName() throws(Pattern.CompileError) -> String {
    let offset = scanner.offset
    scanner.take()
    var name = ""
    while !scanner.take(ifNext: ">") {
      let place = scanner.offset
      guard let scalar = try readNameCharacter() else { throw error("a group's name must end with >", at: place) }
      guard name.isEmpty ? scalar.startsGroupName : scalar.continuesGroupName else {
        throw error("a group's name consists of letters, digits, _ and $, and must not begin with a digit", at: place)
      }
      name.unicodeScalars.append(scalar)
    }
    if name.isEmpty { throw error("the group's name is empty", at: offset) }
    return name
  }

  /// Reads a character, or an escape for it, such as `\u0061`.
  private mutating func readNameCharacter() throws(Pattern.CompileError) -> Unicode.Scalar? {
    guard scanner.isNext("\\u") else { return scanner.take() }
    let offset = scanner.offset
    scanner.take()
    guard let scalar = Unicode.Scalar(try readUnicodeEscape(from: offset)) else {
      throw error("an unpaired surrogate is not allowed in a name", at: offset)
    }
    return scalar
  }

  /// Reads the flags of `(?i:…)`, `(?s-m:…)` or `(?-i:…)` after the `(?`. Returns `nil` if something else follows.
  mutating func readFlags(_ offset: Int) throws(Pattern.CompileError) -> Flags? {
    var distance = 0
    while let scalar = scanner.peek(distance), scalar.isLetterOfASCII || scalar == "-" { distance += 1 }
    guard distance > 0, scanner.peek(distance) == ":" else { return nil }
    var result = flags
    var seen: Set<Unicode.Scalar> = []
    while let scalar = scanner.take(), scalar != ":" {
      guard seen.insert(scalar).inserted else { throw error("duplicate flag in (?\(scalar)…:", at: offset) }
      let isOn = !seen.contains("-")
      switch scalar {
      case "i": result.ignoresCase = isOn
      case "m": result.isMultiline = isOn
      case "s": result.dotMatchesAll = isOn
      case "-": break
      default: throw error("a group's flags must be i, m or s", at: offset)
      }
    }
    if seen == ["-"] { throw error("missing group flags: expected (?-i:…)", at: offset) }
    return result
  }
}

extension Unicode.Scalar {
  fileprivate var startsGroupName: Bool { self == "$" || self == "_" || properties.isIDStart }

  /// U+200C and U+200D join their neighbours.
  fileprivate var continuesGroupName: Bool {
    self == "$" || self == "\u{200C}" || self == "\u{200D}" || properties.isIDContinue
  }
}
