import ByteStreams
import Findings
import JSONEvents

/// Finds the record around a value in a large collection, by reading only near it.
///
///     … , { "id" : 7 , "tags" : [ { "a" : 1 } , { "a" : "x ] , {" } ] , … } , …
///                  |<-         window       ->|^ value, 3 brackets inside the record
///         ^ record
///
/// Both assumptions about the window's start (in a string or not) are tried. Only the right one finds a legal byte everywhere, and ends
/// outside a string at the value. The window grows until it has the record's opening bracket.
struct RecordFinder {
  let bytes: StoredBytes
  let gap: SplitPlan.Gap
  let syntax: JSONSyntax
  let limits: ReaderLimits

  /// The largest record, and the largest window before a value.
  private static let limit = 64 << 20
  private static let firstWindow = 1 << 12

  /// Returns the record that a value or key is in, or the object that lacks a member.
  ///
  /// - Returns: `nil` if it wasn't found, because it is too large or malformed, or its pointer is cut.
  func record(around place: Place) throws(CofferError) -> Slice? {
    // A damaged plan or partial result may have any numbers.
    guard place.offset >= gap.start.offset, place.offset <= bytes.byteCount else { return nil }
    // The middle of a long pointer is cut out.
    let pointer = place.pointer.utf8
    guard pointer.count < 1000, pointer.starts(with: (gap.pointer + "/").utf8),
      let tokens = String(decoding: pointer.dropFirst(gap.pointer.utf8.count), as: UTF8.self).pointerTokens
    else { return nil }
    if syntax == .jsonLines {
      return try lineStart(of: place.offset).flatMap { start throws(CofferError) in try record(from: start, around: place) }
    }
    return try jsonRecord(around: place, inside: Array(tokens.dropFirst()))
  }

  /// - Parameter offset: that of the record, or of the name of an object's member.
  private func record(from offset: Int, around place: Place) throws(CofferError) -> Slice? {
    guard let start = gap.isObject ? try name(before: offset) : offset else { return nil }
    let before = try read(start..<place.offset)
    let newlines = before.count { $0 == UInt8(ascii: "\n") }
    // If a record begins on another line, nothing needs its column.
    let column = newlines > 0 ? 1 : place.column - before.count { $0 & 0xC0 != 0x80 }
    guard place.line > newlines, column > 0, let record = try bytes(from: start) else { return nil }
    return Slice(
      of: record, at: TextPosition(offset: start, line: place.line - newlines, column: column), syntax: syntax,
      isOfObject: gap.isObject)
  }

  private func read(_ range: Range<Int>) throws(CofferError) -> [UInt8] {
    var source = StoredSource(bytes, range)
    return try source.readPrefix(range.count)
  }

  // MARK: The start

  private func lineStart(of offset: Int) throws(CofferError) -> Int? {
    try growing { size throws(CofferError) in
      let from = max(gap.start.offset, offset - size)
      if let newline = try read(from..<offset).lastIndex(of: UInt8(ascii: "\n")) { return from + newline + 1 }
      return from == gap.start.offset ? from : nil
    }
  }

  /// - Parameter tokens: the names that lead from the record to the value, or to the member that the value lacks.
  private func jsonRecord(around place: Place, inside tokens: [String]) throws(CofferError) -> Slice? {
    if tokens.isEmpty { return try record(from: place.offset, around: place) }
    return try growing { size throws(CofferError) in
      let from = max(gap.start.offset, place.offset - size)
      var window = try read(from..<place.offset)[...]
      let openers: [Int]
      if from == gap.start.offset {
        openers = Self.openers(in: window, startsInString: false) ?? []
      } else {
        // A window must not begin after a backslash.
        guard let first = window.firstIndex(where: { $0 != UInt8(ascii: "\\") }) else { return nil }
        window = window[(first + 1)...]
        openers = Self.openers(in: window, startsInString: false) ?? Self.openers(in: window, startsInString: true) ?? []
      }
      // Fewer are open if the value lacks the last name.
      if openers.count >= tokens.count { return try record(from: from + openers[openers.count - tokens.count], around: place) }
      guard openers.count == tokens.count - 1, Int(tokens[0]) == nil else { return nil }
      let start = openers.first.map { from + $0 } ?? place.offset
      guard let record = try record(from: start, around: place), isRecord(record, place, tokens.dropLast()) else { return nil }
      let before = try read(max(gap.start.offset, record.start.offset - 64)..<record.start.offset)
      // Blanks only, or a comma, precede a record.
      let separator = before.last { !" \t\r\n".utf8.contains($0) }
      return separator == nil || separator == UInt8(ascii: ",") ? record : nil
    }
  }

  /// Returns the place of the name before a member's value, or of the name that begins there.
  private func name(before offset: Int) throws(CofferError) -> Int? {
    try growing { size throws(CofferError) in
      let from = max(gap.start.offset, offset - size)
      let window = try read(from..<offset)
      let isWhole = from == gap.start.offset
      guard let separator = window.lastIndex(where: { !" \t\r\n".utf8.contains($0) }) else { return isWhole ? offset : nil }
      if window[separator] != UInt8(ascii: ":") { return offset }
      guard var end = window[..<separator].lastIndex(of: UInt8(ascii: "\"")) else { return nil }
      // A quotation mark after an odd number of backslashes is part of the name.
      while let start = window[..<end].lastIndex(of: UInt8(ascii: "\"")) {
        let backslashes = window[..<start].reversed().prefix { $0 == UInt8(ascii: "\\") }.count
        if backslashes % 2 == 0, backslashes < start || isWhole { return from + start }
        end = start
      }
      return nil
    }
  }

  /// Returns whether names lead from a record to an object.
  private func isRecord(_ record: Slice, _ place: Place, _ tokens: ArraySlice<String>) -> Bool {
    var path = PointerTree([Array(tokens)])
    var isName = gap.isObject
    var reader = SliceReader(record, depth: gap.depth, limits: limits)
    while reader.next() {
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        if isName {
          isName = false
          continue
        }
        guard path.node(of: event, in: reader.batch) == tokens.count else { continue }
        return event.kind == .objectStart && reader.batch.offset(of: event) == place.offset
      }
    }
    return false
  }

  /// Returns the brackets that are open at the end, or `nil` if the bytes can't begin so and end outside a string.
  private static func openers(in bytes: ArraySlice<UInt8>, startsInString: Bool) -> [Int]? {
    var openers: [Int] = []
    var strings = StringTracker(isInside: startsInString)
    for (index, byte) in zip(bytes.indices, bytes) {
      if strings.isInside, byte < 0x20 { return nil }
      if strings.consume(byte) { continue }
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["): openers.append(index)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = openers.popLast()
      // The bytes of numbers, words, separators and blanks.
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+")...UInt8(ascii: "."), UInt8(ascii: ":"), 0x20, 0x09, 0x0A,
        0x0D:
        break
      default: if !"Etrufalsn".utf8.contains(byte), byte != UInt8(ascii: "e") { return nil }
      }
    }
    return strings.isInside ? nil : openers
  }

  // MARK: The end

  /// Returns the bytes of the record that begins at an offset.
  private func bytes(from offset: Int) throws(CofferError) -> [UInt8]? {
    try growing { size throws(CofferError) in
      let window = try read(offset..<min(bytes.byteCount, offset + size))
      let isWhole = offset + window.count == bytes.byteCount
      if syntax == .jsonLines {
        let end = window.firstIndex(of: UInt8(ascii: "\n")) ?? (isWhole ? window.count : nil)
        return end.map { Array(window[..<$0]) }
      }
      return Self.valueEnd(in: window).map { Array(window[..<$0]) }
    }
  }

  /// Returns the index after the value that begins the bytes, if a comma or a closing bracket ends it.
  private static func valueEnd(in bytes: [UInt8]) -> Int? {
    var depth = 0
    var strings = StringTracker()
    for (index, byte) in bytes.enumerated() where !strings.consume(byte) {
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return index }
        depth -= 1
      case UInt8(ascii: ","): if depth == 0 { return index }
      default: break
      }
    }
    return nil
  }

  /// Tries larger and larger sizes.
  private func growing<Found>(_ find: (Int) throws(CofferError) -> Found?) throws(CofferError) -> Found? {
    var size = Self.firstWindow
    while true {
      if let found = try find(size) { return found }
      if size >= Self.limit || size >= bytes.byteCount { return nil }
      size *= 8
    }
  }
}

/// Follows JSON byte by byte, and knows which bytes belong to strings.
private struct StringTracker {
  private(set) var isInside: Bool
  private var isEscaped = false

  init(isInside: Bool = false) { self.isInside = isInside }

  /// Returns true if the next byte is part of a string, as its quotation marks are.
  mutating func consume(_ byte: UInt8) -> Bool {
    guard isInside else {
      isInside = byte == UInt8(ascii: "\"")
      return isInside
    }
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInside = false
    }
    return true
  }
}
