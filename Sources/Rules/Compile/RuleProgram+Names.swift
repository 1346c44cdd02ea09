import JSONEvents

/// Name lookup by length and leading bytes in small tables, never by `String`.
extension RuleProgram {
  /// Returns the entry of a name, an event's text, in a key table, or -1. An empty table is -1.
  @inline(__always)
  func member(named name: ByteView, keyTable: Int32, keyMask: Int32) -> Int {
    guard keyTable >= 0 else { return -1 }
    let word = name.leadingWordOfPadded
    var slot = Int(truncatingIfNeeded: KeyName.hash(name, leadingWord: word)) & Int(keyMask)
    while true {
      let index = Int(keySlots[Int(keyTable) + slot])
      if index < 0 { return -1 }
      if isMember(index, named: name, word: word) { return index }
      slot = (slot + 1) & Int(keyMask)
    }
  }

  @inline(__always)
  func isMember(_ index: Int, named name: ByteView, word: UInt64) -> Bool {
    members[index].word == word && Int(members[index].nameLength) == name.count
      && (name.count <= 8
        || members[index].secondWord == name.dropFirst(8).leadingWordOfPadded
          && (name.count <= 16
            || memberNames.view(from: Int(members[index].nameStart), count: name.count).elementsEqual(name)))
  }

  /// Returns the first `limit` names in a state's table, in the order of the rules.
  package func memberNames(of state: Int, limit: Int = .max) -> [String] {
    states[state].members.indices.prefix(max(0, limit)).map { index in
      memberNames.view(from: Int(members[index].nameStart), count: Int(members[index].nameLength)).string
    }
  }
}
