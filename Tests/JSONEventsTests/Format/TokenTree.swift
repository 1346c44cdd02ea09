import ByteStreams
import JSONEvents

/// A document as a tree of its tokens with their original spelling: the reference for formatters.
indirect enum TokenTree {
  case scalar([UInt8])
  case array([TokenTree])
  case object([(name: [UInt8], token: [UInt8], value: TokenTree)])

  init(of bytes: [UInt8]) throws {
    var stack: [TokenTree] = [.array([])]
    var keys: [([UInt8], [UInt8])] = []
    var reader = JSONEventReader(MemorySource(bytes), limits: ReaderLimits(depth: 1000, chunkSize: nil))
    while try reader.next() {
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        switch event.kind {
        case .objectStart: stack.append(.object([]))
        case .arrayStart: stack.append(.array([]))
        case .objectEnd, .arrayEnd: stack.removeLast().add(to: &stack, &keys)
        case .key: keys.append((reader.batch.text(of: event).array, reader.batch.token(of: event).array))
        default: TokenTree.scalar(reader.batch.token(of: event).array).add(to: &stack, &keys)
        }
      }
    }
    guard case .array(let values) = stack[0], let value = values.first else { fatalError("a document has a value") }
    self = value
  }

  private func add(to stack: inout [TokenTree], _ keys: inout [([UInt8], [UInt8])]) {
    switch stack.removeLast() {
    case .array(let items): stack.append(.array(items + [self]))
    case .object(let members):
      let (name, token) = keys.removeLast()
      stack.append(.object(members + [(name, token, self)]))
    case .scalar: fatalError("a scalar has no items")
    }
  }

  /// The tree with the members of all objects sorted by the bytes of their names; equal names keep their order.
  var sorted: TokenTree {
    switch self {
    case .scalar: self
    case .array(let items): .array(items.map(\.sorted))
    case .object(let members):
      .object(
        members.enumerated()
          .sorted {
            $0.element.name == $1.element.name
              ? $0.offset < $1.offset : $0.element.name.lexicographicallyPrecedes($1.element.name)
          }
          .map { ($0.element.name, $0.element.token, $0.element.value.sorted) })
    }
  }

  /// Returns the text, compact or with a line for each member and item.
  func text(indent: Int?, depth: Int = 0) -> [UInt8] {
    func joined(_ parts: [[UInt8]], _ open: String, _ close: String) -> [UInt8] {
      if parts.isEmpty { return Array((open + close).utf8) }
      func line(_ depth: Int) -> [UInt8] { indent.map { Array(("\n" + String(repeating: " ", count: $0 * depth)).utf8) } ?? [] }
      var text = Array(open.utf8)
      for (index, part) in parts.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        text += line(depth + 1)
        text += part
      }
      return text + line(depth) + Array(close.utf8)
    }
    switch self {
    case .scalar(let token): return token
    case .array(let items): return joined(items.map { $0.text(indent: indent, depth: depth + 1) }, "[", "]")
    case .object(let members):
      let colon = Array((indent == nil ? ":" : ": ").utf8)
      return joined(members.map { $0.token + colon + $0.value.text(indent: indent, depth: depth + 1) }, "{", "}")
    }
  }
}
