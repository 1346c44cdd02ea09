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
