import JSONEvents

/// Members and scalars: what nearly all events are.
extension RuleEvaluator {
  /// A key and the scalar behind it at once, where one thread alone looks at the object and knows the name: by far the most frequent case.
  ///
  /// Returns false, and does nothing, in any other case.
  @inline(__always)
  mutating func takeMember(_ name: ByteView, _ value: Event, _ batch: EventBatch) -> Bool {
    let top = frames.count - 1
    guard frames[top].threadCount == 1 else { return false }
    let scalar: Scalar
    switch value.kind {
    case .string: scalar = Scalar(.string, value, batch)
    case .number: scalar = Scalar(number: value, batch)
    case .true, .false: scalar = Scalar(.boolean, value, batch)
    case .null: scalar = Scalar(.null, value, batch)
    default: return false
    }
    let thread = Int(frames[top].firstThread)
    let state = Int(threads[thread].state)
    let found = successor(of: Int(frames[top].member), named: name, state: state)
    guard found >= 0 else { return false }
    frames[top].member = Int32(found)
    let bit = program.members[found].requiredBit
    if bit >= 0 {
      words[Int(threads[thread].words) + Int(program.states[state].requiredWord) + Int(bit >> 6)] |=
        1 &<< UInt64(truncatingIfNeeded: bit & 63)
    }
    if program.members[found].isKept { keep(scalar, member: found, thread: thread) }
    if program.members[found].checkedKinds >> UInt8(truncatingIfNeeded: scalar.kind.rawValue) & 1 == 0 { return true }
    let children = program.members[found].children
    var row = Int(children.start)
    let end = row &+ Int(children.count)
    while row < end {
      judge(scalar, program.children[row], parent: thread)
      row &+= 1
    }
    return true
  }

  /// The member of that name, in an object whose last member was `last` (-1: none, or one that no schema names).
  ///
  /// Records repeat each other: the member that came next the last time is tried before the table is searched.
  @inline(__always)
  mutating func successor(of last: Int, named name: ByteView, state: Int) -> Int {
    let place = last < 0 ? program.members.count + state : last
    let guess = Int(successors[place])
    if guess >= 0, isMember(guess, named: name, word: name.leadingWordOfPadded) { return guess }
    let found = member(named: name, keyTable: program.states[state].keyTable, keyMask: program.states[state].keyMask)
    successors[place] = Int32(found)
    return found
  }

  @inline(__always)
  func isMember(_ index: Int, named name: ByteView, word: UInt64) -> Bool {
    program.members[index].word == word && Int(program.members[index].nameLength) == name.count
      && (name.count <= 8
        || program.memberNames.view(from: Int(program.members[index].nameStart), count: name.count).elementsEqual(name))
  }

  @inline(__always)
  mutating func takeKey(_ name: ByteView) {
    let top = frames.count - 1
    let first = Int(frames[top].firstThread)
    var member: Int32 = -1
    for index in first..<first + Int(frames[top].threadCount) {
      let state = Int(threads[index].state)
      let found = self.member(named: name, keyTable: program.states[state].keyTable, keyMask: program.states[state].keyMask)
      guard found >= 0 else {
        threads[index].next = program.states[state].otherMembers
        threads[index].keptMember = -1
        continue
      }
      member = Int32(found)
      threads[index].next = program.members[found].children
      threads[index].keptMember = program.members[found].isKept ? member : -1
      let bit = program.members[found].requiredBit
      if bit >= 0 {
        words[Int(threads[index].words) + Int(program.states[state].requiredWord) + Int(bit >> 6)] |=
          1 &<< UInt64(truncatingIfNeeded: bit & 63)
      }
    }
    frames[top].member = member
    if member < 0 { keepKey(name, top) }
  }

  @inline(never)
  mutating func keepKey(_ name: ByteView, _ top: Int) {
    let start = Int(frames[top].keyStart)
    keyBytes.removeAll(from: start)
    for index in 0..<name.count { keyBytes.append(name[index]) }
    frames[top].keyCount = Int32(name.count)
  }

  /// The entry of a name, an event's text, in a table of the program (`keyTable` -1: an empty one), or -1.
  @inline(__always)
  func member(named name: ByteView, keyTable: Int32, keyMask: Int32) -> Int {
    guard keyTable >= 0 else { return -1 }
    let word = name.leadingWordOfPadded
    var slot = Int(truncatingIfNeeded: KeyName.hash(name, leadingWord: word)) & Int(keyMask)
    while true {
      let index = Int(program.keySlots[Int(keyTable) + slot])
      if index < 0 { return -1 }
      if isMember(index, named: name, word: word) { return index }
      slot = (slot + 1) & Int(keyMask)
    }
  }

  @inline(__always)
  mutating func take(_ scalar: Scalar) {
    let top = frames.count - 1
    let first = Int(frames[top].firstThread)
    for index in first..<first + Int(frames[top].threadCount) {
      if threads[index].keptMember >= 0 { keep(scalar, member: Int(threads[index].keptMember), thread: index) }
      for row in threads[index].next.indices {
        judge(scalar, program.children[row], parent: index)
      }
    }
    endValue()
  }

  /// Judges a scalar by one state.
  @inline(__always)
  mutating func judge(_ scalar: Scalar, _ child: RuleProgram.Child, parent: Int) {
    if child.hasBranches { return judgeWithBranches(scalar, child, parent) }
    let range = program.checkRanges[Int(child.state) * 6 + scalar.kind.rawValue]
    var row = Int(range.start)
    let end = row + Int(range.count)
    while row < end {
      if !passes(program.checks[row], scalar, parent: parent, slot: Int(child.slot)) {
        fail(program.checks[row], scalar, thread: parent, slot: Int(child.slot))
      }
      row += 1
    }
  }

  @inline(never)
  mutating func judgeWithBranches(_ scalar: Scalar, _ child: RuleProgram.Child, _ parent: Int) {
    let wordHeight = words.count
    let pendingHeight = pending.count
    let thread = push(state: child.state, parent: parent, slot: Int(child.slot))
    for row in program.checkRanges[Int(child.state) * 6 + scalar.kind.rawValue].indices {
      let check = program.checks[row]
      if !passes(check, scalar, parent: parent, slot: Int(child.slot)) {
        fail(check, scalar, thread: thread, slot: Int(check.slot))
      }
    }
    resolve(thread: thread, scalar: scalar, pendingFrom: pendingHeight)
    threads.removeAll(from: thread)
    words.removeAll(from: wordHeight)
  }

  /// A new thread on top of the stack.
  mutating func push(state index: Int32, parent: Int, slot: Int) -> Int {
    let state = program.states[Int(index)]
    var thread = Thread(
      state: index, parent: Int32(parent), slot: UInt16(slot), isMute: threads[parent].isMute || isMute(slot, of: parent),
      words: Int32(words.count))
    if state.words > 0 { words.append(repeating: 0, count: Int(state.words)) }
    if state.captureCount > 0 {
      thread.captures = Int32(captures.count)
      captures.append(repeating: Capture(), count: Int(state.captureCount))
    }
    if state.cells.count > 0 {
      thread.cells = Int32(cells.count)
      cells += Array(repeating: DataValue(), count: Int(state.cells.count))
    }
    threads.append(thread)
    return threads.count - 1
  }

  @inline(__always)
  func isMute(_ slot: Int, of thread: Int) -> Bool {
    slot > 0 && program.slots[Int(program.states[Int(threads[thread].state)].slots.start) + slot].isMute
  }

  /// Keeps a scalar for the keys of its record, or for `$data`.
  @inline(never)
  mutating func keep(_ scalar: Scalar, member index: Int, thread: Int) {
    let member = program.members[index]
    if member.capture >= 0 {
      var capture = Capture(status: .scalar, offset: scalar.offset)
      switch scalar.kind {
      case .null: capture.status = .null
      case .boolean: capture.value = KeyValue(boolean: scalar.isTrue)
      case .number:
        capture.value = scalar.isInteger ? KeyValue(integer: scalar.integer) : KeyValue(number: scalar.text, key: options.key)
      default: capture.value = KeyValue(string: scalar.text, key: options.key)
      }
      captures[Int(threads[thread].captures + member.capture)] = capture
    }
    if member.cell >= 0 || member.globalCell >= 0 { keepCell(DataValue(scalar), member, thread) }
  }

  mutating func keepContainer(member index: Int, thread: Int) {
    let member = program.members[index]
    if member.capture >= 0 { captures[Int(threads[thread].captures + member.capture)].status = .container }
    if member.cell >= 0 || member.globalCell >= 0 { keepCell(DataValue(kind: .container), member, thread) }
  }
}
