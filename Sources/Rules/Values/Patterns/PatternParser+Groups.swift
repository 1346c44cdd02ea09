extension PatternParser {
  /// `<name>`, as a group or `\k` has it.
  mutating func readGroupName() throws(Pattern.CompileError) -> String {
    let offset = scanner.offset
    scanner.take()
    var name = ""
    while !scanner.take(ifNext: ">") {
      let place = scanner.offset
      guard let scalar = try readNameCharacter() else { throw error("a group's name ends with >", at: place) }
      guard name.isEmpty ? scalar.startsGroupName : scalar.continuesGroupName else {
        throw error("a group's name is letters, digits, _ and $, the first no digit", at: place)
      }
      name.unicodeScalars.append(scalar)
    }
    if name.isEmpty { throw error("a group's name is empty", at: offset) }
    return name
  }

  /// A character, or an escape such as `\u0061` for it.
  private mutating func readNameCharacter() throws(Pattern.CompileError) -> Unicode.Scalar? {
    guard scanner.isNext("\\u") else { return scanner.take() }
    let offset = scanner.offset
    scanner.take()
    guard let scalar = Unicode.Scalar(try readUnicodeEscape(from: offset)) else {
      throw error("half a surrogate pair is no character of a name", at: offset)
    }
    return scalar
  }

  /// The flags inside `(?i:…)`, `(?s-m:…)` or `(?-i:…)`, the `(?` taken; `nil` where something else stands.
  mutating func readFlags(_ offset: Int) throws(Pattern.CompileError) -> Flags? {
    var distance = 0
    while let scalar = scanner.peek(distance), scalar.isLetterOfASCII || scalar == "-" { distance += 1 }
    guard distance > 0, scanner.peek(distance) == ":" else { return nil }
    var result = flags
    var seen: Set<Unicode.Scalar> = []
    while let scalar = scanner.take(), scalar != ":" {
      guard seen.insert(scalar).inserted else { throw error("a flag stands twice in (?\(scalar)…:", at: offset) }
      let isOn = !seen.contains("-")
      switch scalar {
      case "i": result.ignoresCase = isOn
      case "m": result.isMultiline = isOn
      case "s": result.dotMatchesAll = isOn
      case "-": break
      default: throw error("the flags of a group are i, m and s", at: offset)
      }
    }
    if seen == ["-"] { throw error("a group's flags are missing: (?-i:…)", at: offset) }
    return result
  }
}

extension Unicode.Scalar {
  fileprivate var startsGroupName: Bool { self == "$" || self == "_" || properties.isIDStart }

  /// U+200C and U+200D join what they stand between.
  fileprivate var continuesGroupName: Bool {
    self == "$" || self == "\u{200C}" || self == "\u{200D}" || properties.isIDContinue
  }
}
