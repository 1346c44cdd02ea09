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
      try appendQuantified(.reference(.name(name)), offset)
    case "1"..."9":
      scanner.take()
      let number = scanner.takeNumber() ?? 0
      numberedReferences.append((number, offset))
      try appendQuantified(.reference(.number(number)), offset)
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
    if scanner.next == "*" { throw error(ForeignSyntax.verb, at: offset) }
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
    throw error(ForeignSyntax.group(scanner), at: offset)
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
