import CByteScan

/// Finds the end of one JSON value, or what is wrong with it. It is as strict as the readers, and needs neither the bytes before nor
/// after the value.
///
///     {"id": 7, "name": "x"} , …        value, ends after the brace
///     {"id": 7, "na\0\0\0\0, …          broken at the first zero, inside an object
///     {"id": 7, "na                     unfinished: the bytes end
package struct ValueScan {
  package enum Outcome: Equatable {
    /// The value's end.
    case value(end: Int)
    /// The place of the first byte that can't belong to it.
    case broken(at: Int)
    /// The bytes end before the value does.
    case unfinished
  }

  /// The opening brackets of the containers in which it was broken, outer ones first.
  package private(set) var open: [UInt8] = []
  /// The ranges of the members' names in the value, if it is an object: without quotes.
  package private(set) var names: [Range<Int>] = []
  /// The place of the string in which it is broken.
  package private(set) var brokenString: Int?
  /// The place of the last whole string.
  package private(set) var lastString: Int?
  /// True if the value is in a container: then its digits may go on where the bytes end.
  private var isNested = false

  package let bytes: ByteView
  package let limits: ReaderLimits
  /// True if nothing follows the bytes.
  package let isEnd: Bool

  private enum Need { case value, valueOrEnd, name, nameOrEnd, colon, commaOrEnd }

  package init(_ bytes: ByteView, limits: ReaderLimits, isEnd: Bool) {
    self.bytes = bytes
    self.limits = limits
    self.isEnd = isEnd
  }

  /// Scans the value at `start`, which must not be white space.
  ///
  /// - Parameter depth: the number of open brackets around it.
  package mutating func scan(from start: Int, depth: Int) -> Outcome {
    open.removeAll(keepingCapacity: true)
    names.removeAll(keepingCapacity: true)
    (brokenString, lastString) = (nil, nil)
    isNested = depth > 0
    var need = Need.value
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      if SyntaxDiagnosis.isSpace(byte) {
        index += 1
        continue
      }
      switch (byte, need) {
      case (UInt8(ascii: "{"), .value), (UInt8(ascii: "["), .value), (UInt8(ascii: "{"), .valueOrEnd),
        (UInt8(ascii: "["), .valueOrEnd):
        if depth + open.count >= limits.depth { return .broken(at: index) }
        open.append(byte)
        need = byte == UInt8(ascii: "{") ? .nameOrEnd : .valueOrEnd
        index += 1
        continue
      case (UInt8(ascii: "}"), .nameOrEnd), (UInt8(ascii: "]"), .valueOrEnd), (UInt8(ascii: "}"), .commaOrEnd),
        (UInt8(ascii: "]"), .commaOrEnd):
        // `}` is two after `{` in ASCII, and `]` two after `[`.
        guard open.last == byte - 2 else { return .broken(at: index) }
        open.removeLast()
        index += 1
      case (UInt8(ascii: ","), .commaOrEnd):
        need = open.last == UInt8(ascii: "{") ? .name : .value
        index += 1
        continue
      case (UInt8(ascii: ":"), .colon):
        need = .value
        index += 1
        continue
      case (UInt8(ascii: "\""), .name), (UInt8(ascii: "\""), .nameOrEnd):
        switch string(at: index) {
        case .value(let end):
          if open.count == 1 { names.append(index + 1..<end - 1) }
          index = end
        case let other: return other
        }
        need = .colon
        continue
      case (UInt8(ascii: "\""), .value), (UInt8(ascii: "\""), .valueOrEnd):
        let outcome = string(at: index)
        guard case .value(let end) = outcome else { return outcome }
        index = end
      case (_, .value), (_, .valueOrEnd):
        let outcome = byte == UInt8(ascii: "-") || 0x30...0x39 ~= byte ? number(at: index) : literal(at: index)
        guard case .value(let end) = outcome else { return outcome }
        index = end
      default: return .broken(at: index)
      }
      // A value has ended.
      if open.isEmpty { return .value(end: index) }
      need = .commaOrEnd
    }
    return .unfinished
  }

  /// Scans the string at a quotation mark.
  package mutating func string(at start: Int) -> Outcome {
    var index = start + 1
    var escapes = false
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") {
        let content = ByteView(bytes.base + start + 1, count: index - start - 1)
        if content.count > limits.tokenSize { return .broken(at: index) }
        var incomplete: CInt = 0
        let valid = coffer_utf8_prefix(content.base, content.count, &incomplete)
        let lone = escapes ? coffer_find_lone_surrogate(content.base, content.count) : content.count
        let fault = min(valid, lone)
        if fault < content.count {
          brokenString = start
          return .broken(at: start + 1 + fault)
        }
        lastString = start
        return .value(end: index + 1)
      }
      if byte < 0x20 {
        brokenString = start
        return .broken(at: index)
      }
      if byte == UInt8(ascii: "\\") {
        guard index + 1 < bytes.count else { break }
        let escape = bytes[index + 1]
        if escape == UInt8(ascii: "u") {
          escapes = true
          for digit in index + 2..<index + 6 {
            guard digit < bytes.count else { return .unfinished }
            if !Self.isHexadecimal(bytes[digit]) {
              brokenString = start
              return .broken(at: index)
            }
          }
        } else if !"\"\\/bfnrt".utf8.contains(escape) {
          brokenString = start
          return .broken(at: index)
        }
        index += 2
      } else {
        index += 1
      }
    }
    return .unfinished
  }

  private func number(at start: Int) -> Outcome {
    let rest = bytes.dropFirst(start)
    let (length, missing) = NumberText.scan(UnsafeBufferPointer(start: rest.base, count: rest.count))
    let end = start + length
    if end == bytes.count, !isEnd || isNested || !open.isEmpty { return .unfinished }
    if missing != nil { return end == bytes.count ? .unfinished : .broken(at: end) }
    guard end == bytes.count || Self.mayFollow(bytes[end]) else { return .broken(at: end) }
    return length > limits.tokenSize ? .broken(at: start) : .value(end: end)
  }

  private func literal(at start: Int) -> Outcome {
    for word in ["true", "false", "null"] {
      var length = 0
      for byte in word.utf8 {
        guard start + length < bytes.count else { return length > 0 ? .unfinished : .broken(at: start) }
        if bytes[start + length] != byte { break }
        length += 1
      }
      guard length == word.utf8.count else { continue }
      let end = start + length
      if end == bytes.count { return isEnd ? .value(end: end) : .unfinished }
      return Self.mayFollow(bytes[end]) ? .value(end: end) : .broken(at: end)
    }
    return .broken(at: start)
  }

  /// Returns true if a byte may follow a number or a literal.
  private static func mayFollow(_ byte: UInt8) -> Bool {
    SyntaxDiagnosis.isSpace(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    0x30...0x39 ~= byte || 0x61...0x66 ~= byte | 0x20
  }
}
