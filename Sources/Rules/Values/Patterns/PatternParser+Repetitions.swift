extension PatternParser {
  /// Reads a repetition after an atom: `*`, `+`, `?`, `{n}`, `{n,}` or `{n,m}`, lazy with a `?` after it.
  mutating func readRepetition() throws(Pattern.CompileError) -> Repetition? {
    let offset = scanner.offset
    var repetition: Repetition
    switch scanner.next {
    case "*": repetition = Repetition(least: 0)
    case "+": repetition = Repetition(least: 1)
    case "?": repetition = Repetition(least: 0, most: 1)
    case "{": repetition = try readCounts()
    default: return nil
    }
    scanner.take()
    if scanner.take(ifNext: "?") { repetition.isLazy = true }
    if scanner.next == "+" { throw error(ForeignSyntax.possessive, at: offset) }
    try refuseQuantifier(after: "another repetition")
    return repetition
  }

  /// Reads up to the closing brace.
  private mutating func readCounts() throws(Pattern.CompileError) -> Repetition {
    let offset = scanner.offset
    scanner.take()
    guard let least = scanner.takeNumber() else { throw error(Self.loneBrace, at: offset) }
    var most: Int? = least
    if scanner.take(ifNext: ",") { most = scanner.takeNumber() }
    guard scanner.next == "}" else { throw error(Self.loneBrace, at: offset) }
    if let most, most < least { throw error("the repetition's maximum, \(most), is less than its minimum, \(least)", at: offset) }
    return Repetition(least: least, most: most)
  }

  func refuseQuantifier(after what: String) throws(Pattern.CompileError) {
    if let scalar = scanner.next, "*+?{".unicodeScalars.contains(scalar) {
      throw error("\(what) can't be repeated: a repetition must follow a character, a class or a group", at: scanner.offset)
    }
  }

  func nothingToRepeat() -> Pattern.CompileError {
    switch scanner.next {
    case "{": error(Self.loneBrace, at: scanner.offset)
    default: error("there is nothing to repeat; write \\\(scanner.next ?? "*") for the character", at: scanner.offset)
    }
  }

  private static let loneBrace = "{ must open a repetition, {n}, {n,} or {n,m}, after its operand; write \\{ for the character"
}
