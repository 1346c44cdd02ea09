/// Reads a pattern as ECMA-262 does with the flag u (sections 22.2.1 and 22.2.1.1), which JSON Schema recommends.
///
/// The only accepted part of Annex B is a backslash before ASCII punctuation: schemas in use write `\-`, `\_`, `\&` or `\"` for
/// the character itself, and no other meaning is possible. Open groups are on the parser's own stack, so that a hostile pattern
/// can't exhaust the thread's stack.
struct PatternParser {
  static let deepestNesting = 250

  struct Flags {
    var ignoresCase = false
    var isMultiline = false
    var dotMatchesAll = false
  }

  /// A group that isn't closed yet, or the whole pattern.
  private struct OpenGroup {
    enum Kind {
      case whole, plain
      case capture(Int)
      case flags(Flags)
      case look(Look)
    }

    let kind: Kind
    let offset: Int
    let outerFlags: Flags
    var alternatives: [[PatternTerm]] = []
    var terms: [PatternTerm] = []
    var names = GroupNames.Scope()
  }

  var scanner: PatternScanner
  var flags = Flags()
  private var open: [OpenGroup] = []
  private var groups = 0
  private var names = GroupNames()
  private var looksBehind = false
  private var numberedReferences: [(number: Int, offset: Int)] = []
  private var namedReferences: [(name: String, offset: Int)] = []

  private init(_ source: String) { scanner = PatternScanner(source) }

  static func parse(_ source: String) throws(Pattern.CompileError) -> PatternTree {
    var parser = PatternParser(source)
    return try parser.parse()
  }

  private mutating func parse() throws(Pattern.CompileError) -> PatternTree {
    open = [OpenGroup(kind: .whole, offset: 0, outerFlags: flags)]
    while let scalar = scanner.next {
      switch scalar {
      case "|":
        scanner.take()
        endAlternative()
      case "(": try openGroup()
      case ")": try closeGroup()
      default: try readTerm(scalar)
      }
    }
    guard open.count == 1 else {
      throw error("the group opened at byte \(open[open.count - 1].offset) is not closed", at: scanner.offset)
    }
    endAlternative()
    return try checked(Disjunction(alternatives: open[0].alternatives))
  }

  func error(_ message: String, at offset: Int) -> Pattern.CompileError { .init(message: message, offset: offset) }

  // MARK: Terms

  private mutating func readTerm(_ scalar: Unicode.Scalar) throws(Pattern.CompileError) {
    let offset = scanner.offset
    switch scalar {
    case "^":
      scanner.take()
      append(flags.isMultiline ? .lineStart : .start, offset)
      try refuseQuantifier(after: "^")
    case "$":
      scanner.take()
      append(flags.isMultiline ? .lineEnd : .end, offset)
      try refuseQuantifier(after: "$")
    case "\\": try readEscape(offset)
    case "*", "+", "?", "{": throw nothingToRepeat()
    case "}", "]": throw error("a lone \(scalar) is not allowed; write \\\(scalar) for the character", at: offset)
    case ".":
      scanner.take()
      try appendQuantified(.set(flags.dotMatchesAll ? .everything : ScalarSet.lineTerminators.complement), offset)
    case "[":
      scanner.take()
      try appendQuantified(.set(readClass(from: offset)), offset)
    default:
      scanner.take()
      try appendQuantified(.character(scalar), offset)
    }
  }

  private mutating func readEscape(_ offset: Int) throws(Pattern.CompileError) {
    switch scanner.peek(1) ?? "\\" {
    case "b", "B":
      let isNegated = scanner.peek(1) == "B"
      scanner.take(2)
      append(.wordBoundary(flags.ignoresCase ? .wordIgnoringCase : .word, isNegated: isNegated), offset)
      try refuseQuantifier(after: isNegated ? "\\B" : "\\b")
    case "k":
      scanner.take(2)
      guard scanner.next == "<" else { throw error("\\k takes a group's name: \\k<name>", at: offset) }
      let name = try readGroupName()
      namedReferences.append((name, offset))
      try appendQuantified(.reference(name), offset)
    case "1"..."9":
      scanner.take()
      let number = scanner.takeNumber() ?? 0
      numberedReferences.append((number, offset))
      try appendQuantified(.reference(String(number)), offset)
    default:
      if let set = try readSetEscape(from: offset) {
        try appendQuantified(.set(set), offset)
      } else if let scalar = Unicode.Scalar(try readCharacterEscape(from: offset, inClass: false)) {
        try appendQuantified(.character(scalar), offset)
      } else {
        // Half of a surrogate pair: UTF-8 text contains none.
        try appendQuantified(.set(.nothing), offset)
      }
    }
  }

  private mutating func append(_ atom: PatternAtom, _ offset: Int) {
    open[open.count - 1].terms.append(PatternTerm(atom: atom, offset: offset))
  }

  private mutating func appendQuantified(_ atom: PatternAtom, _ offset: Int) throws(Pattern.CompileError) {
    let repetition = try readRepetition()
    open[open.count - 1].terms.append(PatternTerm(atom: atom, repetition: repetition, offset: offset))
  }

  // MARK: Groups

  private mutating func endAlternative() {
    let top = open.count - 1
    open[top].alternatives.append(open[top].terms)
    open[top].terms = []
    names.endAlternative(of: &open[top].names)
  }

  private mutating func openGroup() throws(Pattern.CompileError) {
    let offset = scanner.offset
    guard open.count <= Self.deepestNesting else {
      throw error("groups are nested deeper than \(Self.deepestNesting)", at: offset)
    }
    let outerFlags = flags
    let kind = try readGroupStart(offset)
    switch kind {
    case .flags(let inner): flags = inner
    case .look(let look): if look.isBehind { looksBehind = true }
    case .whole, .plain, .capture: break
    }
    open.append(OpenGroup(kind: kind, offset: offset, outerFlags: outerFlags))
  }

  private mutating func readGroupStart(_ offset: Int) throws(Pattern.CompileError) -> OpenGroup.Kind {
    scanner.take()
    if scanner.next == "*" { throw error("(* is not ECMA-262 syntax", at: offset) }
    guard scanner.take(ifNext: "?") else { return nextCapture() }
    if scanner.take(ifNext: ":") { return .plain }
    for (text, look) in Self.looks where scanner.take(ifNext: text) { return .look(look) }
    if scanner.next == "<" {
      let place = scanner.offset
      let name = try readGroupName()
      let kind = nextCapture()
      guard names.insert(name, group: groups, in: &open[open.count - 1].names) else {
        throw error("duplicate group name \(name)", at: place)
      }
      return kind
    }
    if let flags = try readFlags(offset) { return .flags(flags) }
    throw error("(? doesn't open an ECMA-262 group; write \\( for the character", at: offset)
  }

  private static let looks: [(String, Look)] = [
    ("=", Look(isBehind: false, isNegated: false)), ("!", Look(isBehind: false, isNegated: true)),
    ("<=", Look(isBehind: true, isNegated: false)), ("<!", Look(isBehind: true, isNegated: true)),
  ]

  private mutating func nextCapture() -> OpenGroup.Kind {
    groups += 1
    return .capture(groups)
  }

  private mutating func closeGroup() throws(Pattern.CompileError) {
    guard open.count > 1 else { throw error("no group is open here; write \\) for the character", at: scanner.offset) }
    endAlternative()
    scanner.take()
    let group = open.removeLast()
    names.close(group.names, into: &open[open.count - 1].names)
    flags = group.outerFlags
    let body = Disjunction(alternatives: group.alternatives)
    switch group.kind {
    case .whole, .plain: try appendQuantified(.group(body, number: nil), group.offset)
    case .capture(let number): try appendQuantified(.group(body, number: number), group.offset)
    case .flags(let inner): try appendQuantified(.caseGroup(body, ignoresCase: inner.ignoresCase), group.offset)
    case .look(let look):
      append(.look(look, body), group.offset)
      try refuseQuantifier(after: "an assertion such as (?=…)")
    }
  }

  // MARK: References

  /// References are checked only here, because their groups may follow them.
  private func checked(_ root: Disjunction) throws(Pattern.CompileError) -> PatternTree {
    var tree = PatternTree(root: root, looksBehind: looksBehind, groupsByName: names.groups)
    for (number, offset) in numberedReferences {
      guard number <= groups else {
        throw error("\\\(number) refers to an unknown group: the pattern has \(groups)", at: offset)
      }
      tree.referencedGroups.insert(number)
    }
    for (name, offset) in namedReferences {
      guard let numbers = names.groups[name] else { throw error("unknown group name \(name)", at: offset) }
      tree.referencedGroups.formUnion(numbers)
    }
    return tree
  }
}

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

extension PatternParser {
  /// Reads a repetition after an atom: `*`, `+`, `?`, `{n}`, `{n,}` or `{n,m}`, lazy with a `?` after it.
  mutating func readRepetition() throws(Pattern.CompileError) -> Repetition? {
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

extension PatternParser {
  /// Reads a class up to its `]`, after its `[` at `offset`.
  mutating func readClass(from offset: Int) throws(Pattern.CompileError) -> ScalarSet {
    var set = ScalarSet.nothing
    set.isNegated = scanner.take(ifNext: "^")
    while !scanner.take(ifNext: "]") {
      let place = scanner.offset
      let first = try readMember(classAt: offset)
      guard scanner.next == "-", let following = scanner.peek(1), following != "]" else {
        set.insert(first)
        continue
      }
      scanner.take()
      let last = try readMember(classAt: offset)
      guard case .code(let lower) = first, case .code(let upper) = last else {
        throw error("both ends of a range must be single characters; write \\- for the character -", at: place)
      }
      guard lower <= upper else { throw error("the range's first character is greater than its last", at: place) }
      set.insert(lower...upper)
    }
    return set
  }

  fileprivate enum Member {
    case code(UInt32)
    case set(ScalarSet)
  }

  private mutating func readMember(classAt start: Int) throws(Pattern.CompileError) -> Member {
    let offset = scanner.offset
    guard let scalar = scanner.next else {
      throw error("the class opened at byte \(start) is not closed", at: scanner.offset)
    }
    guard scalar == "\\" else {
      scanner.take()
      return .code(scalar.value)
    }
    // In a class, \b is a backspace.
    if scanner.take(ifNext: "\\b") { return .code(0x08) }
    if let set = try readSetEscape(from: offset) { return .set(set) }
    return .code(try readCharacterEscape(from: offset, inClass: true))
  }
}

extension ScalarSet {
  fileprivate mutating func insert(_ member: PatternParser.Member) {
    switch member {
    case .code(let code): insert(code...code)
    case .set(let set): insert(set)
    }
  }
}

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
        throw error("\(UnicodeProperty.fault(of: text)) in \(escape){…}", at: offset)
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
      if let digit = scanner.peek(1), digit.isDigit { throw error("octal escapes are not ECMA-262 syntax", at: offset) }
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
      guard isIdentity(letter, inClass: inClass) else {
        let place = inClass ? " in a class" : ""
        throw error("\\\(letter.escaped(asASCII: false)) is not an ECMA-262 escape\(place)", at: offset)
      }
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
