import ByteStreams
import JSONEvents
import Rules

/// Reads the members of a JSON object, such as the column `coffer_extra`.
struct MoreMembers {
  private let object: UnsafeBufferPointer<UInt8>

  /// - Parameter object: must outlive this value.
  init(_ object: UnsafeBufferPointer<UInt8>) { self.object = object }

  /// Returns those of the names that are present, each with its value if that is a 64-bit integer in any spelling.
  func integers(named names: Set<ExactText>) throws -> [ExactText: Int64?] {
    var result: [ExactText: Int64?] = [:]
    // For duplicate names, the last value counts.
    try forEachMember { key, event, batch in
      guard names.contains(key) else { return }
      result[key] = .some(event.kind == .number ? ExactDecimal(batch.text(of: event).string)?.int64 : nil)
    }
    return result
  }

  /// Returns all names, and those whose value is `null`, or `nil` if the text isn't an object.
  func names() throws -> (all: Set<ExactText>, null: Set<ExactText>)? {
    var (all, null): (Set<ExactText>, Set<ExactText>) = ([], [])
    let isObject = try forEachMember { key, event, _ in
      all.insert(key)
      if event.kind == .null { null.insert(key) } else { null.remove(key) }
    }
    return isObject ? (all, null) : nil
  }

  /// Calls `body` with each member's name and the first event of its value.
  ///
  /// - Returns: true if the text is an object.
  @discardableResult
  private func forEachMember(_ body: (ExactText, Event, EventBatch) -> Void) throws -> Bool {
    var (depth, key, isObject): (Int, ExactText?, Bool) = (0, nil, false)
    var reader = JSONEventReader(BorrowedBytes(rest: object), limits: .stored)
    while try reader.next() {
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        if event.kind == .objectEnd || event.kind == .arrayEnd {
          depth -= 1
          continue
        }
        if depth == 0 { isObject = event.kind == .objectStart }
        if depth == 1, isObject {
          if event.kind == .key {
            key = ExactText(reader.batch.text(of: event).string)
          } else if let key {
            body(key, event, reader.batch)
          }
        }
        if event.kind == .objectStart || event.kind == .arrayStart { depth += 1 }
      }
    }
    return isObject
  }

  /// Returns all members except those with the given names, without the enclosing braces.
  func text(without names: Set<ExactText>) throws -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(object.count)
    // The start of the current member in the result, including the comma before it.
    var start = 0
    var (depth, compact, name) = (0, CompactText(), ExactText(""))
    var reader = JSONEventReader(BorrowedBytes(rest: object), limits: .stored)
    while try reader.next() {
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        let isEnd = event.kind == .objectEnd || event.kind == .arrayEnd
        if isEnd { depth -= 1 }
        if depth == 0 {
          if event.kind == .objectStart { depth = 1 }
          continue
        }
        if depth == 1, event.kind == .key {
          name = ExactText(reader.batch.text(of: event).string)
          start = result.count
          if start > 0 { result.append(UInt8(ascii: ",")) }
          compact = CompactText()
        }
        compact.append(event, of: reader.batch, to: &result)
        if event.kind == .objectStart || event.kind == .arrayStart { depth += 1 }
        if depth == 1, event.kind != .key, names.contains(name) { result.removeSubrange(start...) }
      }
    }
    return result
  }
}
