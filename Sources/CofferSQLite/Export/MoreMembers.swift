import ByteStreams
import JSONEvents
import Rules

/// The members of an object of JSON, such as the column `more`, read one after the other.
struct MoreMembers {
  private let object: UnsafeBufferPointer<UInt8>

  /// - Parameter object: outlives the members.
  init(_ object: UnsafeBufferPointer<UInt8>) { self.object = object }

  /// Those of the names that are there, each with its value if that is an integer of 64 bits, however it is written.
  func integers(named names: Set<ExactText>) throws -> [ExactText: Int64?] {
    var result: [ExactText: Int64?] = [:]
    // Of equal names the last one counts.
    try forEachMember { key, event, batch in
      guard names.contains(key) else { return }
      result[key] = .some(event.kind == .number ? ExactDecimal(batch.text(of: event).string)?.int64 : nil)
    }
    return result
  }

  /// The members' names, and those whose values are `null`; `nil`: it is no object.
  func names() throws -> (all: Set<ExactText>, null: Set<ExactText>)? {
    var (all, null): (Set<ExactText>, Set<ExactText>) = ([], [])
    let isObject = try forEachMember { key, event, _ in
      all.insert(key)
      if event.kind == .null { null.insert(key) } else { null.remove(key) }
    }
    return isObject ? (all, null) : nil
  }

  /// Hands each member's name on, with the first event of its value.
  ///
  /// - Returns: whether it is an object.
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

  /// The members but for some, without the brackets around them.
  func text(without names: Set<ExactText>) throws -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(object.count)
    // Where the present member begins in the result, with the comma before it.
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
