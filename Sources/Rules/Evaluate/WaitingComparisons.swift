import ByteStreams
import JSONEvents
import SystemPackage

/// Comparisons with places counted from the root that have not come yet, as many as there are: they wait in a temporary file.
///
/// An export whose members are sorted has its date behind the records that are compared with it. They are written in batches, each comparison as
/// what differs from the one before it: some 20 bytes, for records that lie together have similar places and values.
///
///     batch    | length, 8 bytes | comparison | comparison | …
struct WaitingComparisons: ~Copyable {
  /// What many comparisons have in common.
  private struct Rule {
    var slot: Int
    var cell: Int
    var check: RuleProgram.Check
  }

  private let folder: FilePath
  private var file: SpillFile?
  private var chain: SpillFile.Chain?
  private var rules: [Rule] = []

  /// - Parameter folder: where the file lies, once it is needed.
  init(in folder: FilePath) { self.folder = folder }

  /// Takes the next comparisons in.
  mutating func append(_ comparisons: [DeferredComparison]) throws(ByteStreamError) {
    let file: SpillFile
    if let known = self.file { file = known } else { file = try SpillFile(in: folder) }
    let chain = self.chain ?? file.makeChain()
    (self.file, self.chain) = (file, chain)
    var buffer = RecordBuffer()
    var last = DeferredComparison.first
    for comparison in comparisons {
      buffer.append(varint: UInt64(number(of: comparison)))
      comparison.encode(after: last, into: &buffer)
      last = comparison
    }
    var header = RecordBuffer()
    header.append(UInt64(buffer.count), length: 8)
    try header.withBytes { (bytes) throws(ByteStreamError) in try file.append(bytes, to: chain) }
    try buffer.withBytes { (bytes) throws(ByteStreamError) in try file.append(bytes, to: chain) }
  }

  /// Gives all comparisons back, batch by batch, in the order in which they came.
  ///
  /// - Throws: an error of the temporary file.
  mutating func removeAll(_ body: ([DeferredComparison]) -> Void) throws(ByteStreamError) {
    guard let file, let chain else { return }
    var offset = 0
    while true {
      let header = try Self.read(8, of: chain, at: offset, from: file)
      if header.isEmpty { break }
      let length = header.reversed().reduce(0) { $0 << 8 | Int($1) }
      let bytes = try Self.read(length, of: chain, at: offset + 8, from: file)
      offset += 8 + length
      guard let comparisons = decode(bytes), bytes.count == length else { throw file.damaged }
      body(comparisons)
    }
    file.free(chain)
    self.chain = nil
  }

  private static func read(
    _ count: Int, of chain: SpillFile.Chain, at offset: Int, from file: SpillFile
  ) throws(ByteStreamError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      var result: Result<Int, ByteStreamError> = .success(0)
      bytes.withUnsafeMutableBytes { buffer in
        do throws(ByteStreamError) {
          result = .success(
            try file.read(chain, at: offset + filled, into: UnsafeMutableRawBufferPointer(rebasing: buffer.dropFirst(filled))))
        } catch { result = .failure(error) }
      }
      let next = try result.get()
      if next == 0 { break }
      filled += next
    }
    return Array(bytes.prefix(filled))
  }

  private func decode(_ bytes: [UInt8]) -> [DeferredComparison]? {
    bytes.withUnsafeBufferPointer { buffer -> [DeferredComparison]? in
      guard let base = buffer.baseAddress else { return [] }
      var cursor = RecordCursor(ByteView(base, count: buffer.count), at: 0)
      var comparisons: [DeferredComparison] = []
      var last = DeferredComparison.first
      while cursor.position < buffer.count {
        let number = cursor.varint()
        guard number < UInt64(rules.count) else { return nil }
        let rule = rules[Int(number)]
        guard let comparison = DeferredComparison(after: last, slot: rule.slot, cell: rule.cell, check: rule.check, &cursor)
        else {
          return nil
        }
        comparisons.append(comparison)
        last = comparison
      }
      return comparisons
    }
  }

  private mutating func number(of comparison: DeferredComparison) -> Int {
    let known = rules.firstIndex {
      $0.slot == comparison.slot && $0.cell == comparison.cell && $0.check.rule == comparison.check.rule
        && $0.check.operand == comparison.check.operand && $0.check.operation == comparison.check.operation
    }
    if let known { return known }
    rules.append(Rule(slot: comparison.slot, cell: comparison.cell, check: comparison.check))
    return rules.count - 1
  }
}

extension DeferredComparison {
  /// What the first one of a batch differs from.
  fileprivate static let first = DeferredComparison(
    holder: -1, slot: 0, cell: 0, check: RuleProgram.Check(operation: .equalsData, slot: 0, rule: 0), value: DataValue(),
    finding: FindingSubject(pointer: "", offset: 0, line: 0, column: 0, excerpt: nil))

  fileprivate func encode(after last: DeferredComparison, into buffer: inout RecordBuffer) {
    buffer.append(value.kind.code)
    buffer.append(value.text, after: last.value.text)
    buffer.append(Array(finding.pointer.utf8), after: Array(last.finding.pointer.utf8))
    buffer.append(varint: UInt64(bitPattern: Int64(finding.offset &- last.finding.offset)).zigzag)
    buffer.append(varint: UInt64(bitPattern: Int64(finding.line &- last.finding.line)).zigzag)
    buffer.append(varint: UInt64(finding.column))
    switch finding.excerpt {
    case nil: buffer.append(0)
    case let excerpt? where excerpt.utf8.elementsEqual(value.text): buffer.append(1)
    case let excerpt?:
      buffer.append(2)
      buffer.append(excerpt)
    }
  }

  fileprivate init?(after last: DeferredComparison, slot: Int, cell: Int, check: RuleProgram.Check, _ cursor: inout RecordCursor)
  {
    guard let kind = DataValue.Kind(code: cursor.byte()) else { return nil }
    let text = cursor.bytes(after: last.value.text)
    let pointer = cursor.bytes(after: Array(last.finding.pointer.utf8))
    let offset = last.finding.offset &+ Int(Int64(bitPattern: cursor.varint().unzigzagged))
    let line = last.finding.line &+ Int(Int64(bitPattern: cursor.varint().unzigzagged))
    let column = Int(truncatingIfNeeded: cursor.varint())
    let excerpt: String?
    switch cursor.byte() {
    case 0: excerpt = nil
    case 1: excerpt = String(decoding: text, as: UTF8.self)
    default: excerpt = cursor.text()
    }
    if cursor.hasFailed { return nil }
    self.init(
      holder: -1, slot: slot, cell: cell, check: check, value: DataValue(kind: kind, text: text),
      finding: FindingSubject(
        pointer: String(decoding: pointer, as: UTF8.self), offset: offset, line: line, column: column, excerpt: excerpt))
  }
}

extension DataValue.Kind {
  private static let all: [DataValue.Kind] = [.absent, .null, .boolean, .number, .string, .container]

  fileprivate var code: UInt8 { UInt8(Self.all.firstIndex(of: self) ?? 0) }

  fileprivate init?(code: UInt8) {
    guard Self.all.indices.contains(Int(code)) else { return nil }
    self = Self.all[Int(code)]
  }
}

extension UInt64 {
  /// Small numbers of either sign as small numbers.
  fileprivate var zigzag: UInt64 { self &<< 1 ^ UInt64(bitPattern: Int64(bitPattern: self) &>> 63) }

  fileprivate var unzigzagged: UInt64 { self &>> 1 ^ (0 &- (self & 1)) }
}
