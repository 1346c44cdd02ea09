import ByteStreams
import JSONEvents

/// A JSON value as read by this project: strings as bytes, numbers as their digits.
enum ReadValue {
  case null
  case boolean(Bool)
  case number(String)
  case string([UInt8])
  case array([ReadValue])
  case object([(key: [UInt8], value: ReadValue)])

  /// - Throws: `CofferError` for invalid JSON.
  static func read(_ document: [UInt8]) throws -> ReadValue {
    var reader = JSONEventReader(MemorySource(document))
    var open: [(value: ReadValue, key: [UInt8])] = [(.array([]), [])]
    while try reader.next() {
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        let text = reader.batch.text(of: event)
        switch event.kind {
        case .null: add(.null, to: &open)
        case .true: add(.boolean(true), to: &open)
        case .false: add(.boolean(false), to: &open)
        case .number: add(.number(text.string), to: &open)
        case .string: add(.string(text.array), to: &open)
        case .key: open[open.count - 1].key = text.array
        case .arrayStart: open.append((.array([]), []))
        case .objectStart: open.append((.object([]), []))
        case .arrayEnd, .objectEnd: add(open.removeLast().value, to: &open)
        }
      }
    }
    guard case .array(let roots) = open[0].value, let root = roots.first else { preconditionFailure("a document has a value") }
    return root
  }

  private static func add(_ value: ReadValue, to open: inout [(value: ReadValue, key: [UInt8])]) {
    let top = open.count - 1
    switch open[top].value {
    case .array(var items):
      open[top].value = .null
      items.append(value)
      open[top].value = .array(items)
    case .object(var members):
      open[top].value = .null
      members.append((open[top].key, value))
      open[top].value = .object(members)
    default: preconditionFailure("only containers are open")
    }
  }

  /// True if it has a number that exceeds the range of `Double`.
  var exceedsDouble: Bool {
    switch self {
    case .number(let text): Double(text).map { $0.isInfinite } ?? true
    case .array(let items): items.contains(where: \.exceedsDouble)
    case .object(let members): members.contains { $0.value.exceedsDouble }
    default: false
    }
  }

  /// Returns whether it equals Foundation's value, with strings compared by their bytes and numbers as `Double`.
  func equals(_ other: FoundationValue) -> Bool {
    switch (self, other) {
    case (.null, .null): return true
    case (.boolean(let mine), .boolean(let theirs)): return mine == theirs
    case (.number(let mine), .number(let theirs, let isDecimal)):
      guard let mine = Double(mine) else { return false }
      // Foundation reads -0 as the integer 0, and a decimal loses its last bits in the conversion.
      return mine == theirs || isDecimal && abs(mine - theirs) <= abs(mine) * 1e-13
    case (.string(let mine), .string(let theirs)): return Self.text(mine) == Self.text(Array(theirs.utf8))
    case (.array(let mine), .array(let theirs)):
      return mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.equals($1) }
    case (.object(let mine), .object(let theirs)):
      let names = mine.map { String(decoding: Self.text($0.key), as: UTF8.self) }
      let others = Dictionary(theirs.map { (String(decoding: Self.text(Array($0.key.utf8)), as: UTF8.self), $0.value) }) { $1 }
      guard Set(names).count == others.count else { return false }
      let counts = names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      // Of equal keys (as String: canonically equivalent), Foundation keeps one. Which one is not specified.
      return zip(names, mine).allSatisfy { name, member in
        others[name].map { counts[name] != 1 || member.value.equals($0) } ?? false
      }
    default: return false
    }
  }

  /// Removes U+FEFF, which Foundation drops if it takes it for a byte order mark.
  private static func text(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(0xEF) else { return bytes }
    return Array(
      String(String.UnicodeScalarView(String(decoding: bytes, as: UTF8.self).unicodeScalars.filter { $0 != "\u{FEFF}" })).utf8)
  }
}
