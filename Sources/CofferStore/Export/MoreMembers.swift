import ByteStreams
import JSONEvents
import Rules

/// The members of the column `more`.
struct MoreMembers {
  private let object: [UInt8]

  init(_ object: [UInt8]) { self.object = object }

  /// The value of a member that is an integer of 64 bits, however it is written.
  func integer(named name: String) throws -> Int64? {
    guard let text = try JSONValue.read(MemorySource(object))[name]?.number else { return nil }
    return ExactDecimal(text)?.int64
  }

  /// The members but for some, without the brackets around them.
  func text(without names: Set<String>) throws -> [UInt8] {
    var (result, member): ([UInt8], [UInt8]) = ([], [])
    var (depth, compact, name) = (0, CompactText(), "")
    var reader = JSONEventReader(MemorySource(object))
    while try reader.next() {
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        let isEnd = event.kind == .objectEnd || event.kind == .arrayEnd
        if isEnd { depth -= 1 }
        if depth == 1, event.kind == .key { name = reader.batch.text(of: event).string }
        if depth > 0 { compact.append(event, of: reader.batch, to: &member) }
        if event.kind == .objectStart || event.kind == .arrayStart { depth += 1 }
        guard depth == 1, event.kind != .key, !(event.kind == .objectStart && member.isEmpty) else { continue }
        if !names.contains(name) { result += (result.isEmpty ? [] : [UInt8(ascii: ",")]) + member }
        member.removeAll()
        compact = CompactText()
      }
    }
    return result
  }
}
