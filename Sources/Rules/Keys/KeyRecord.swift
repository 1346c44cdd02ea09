import ByteStreams
import JSONEvents

/// An operation on keys that can't be decided yet; or a violation that has been decided, but not reported.
struct KeyRecord: Hashable {
  enum Operation: UInt8, CaseIterable {
    case define, claim, refer
    /// A claim of a key that is known to be in its set already.
    case duplicate
  }

  var operation: Operation
  /// The set's number: first the document's sets, then the scoped ones in the order in which they were opened.
  var set: Int
  /// The violation to report if the operation fails. For a definition, which never fails, only the key matters.
  var violation: KeyViolation
  var base: KeyLog.Target?

  var key: KeyValue { violation.key }
}

extension KeyRecord {
  /// Greater numbers of another process are damage. Sums of a few thousand such numbers don't overflow.
  static let largest = 1 << 50

  /// Returns whether the numbers of a row from another process are possible.
  ///
  /// - Parameter hasScope: returns whether there is a scoped set with a number.
  func isValid(_ schema: KeySchema, hasScope: (Int) -> Bool) -> Bool {
    let isDocumentSet = set < schema.setCount
    if operation == .define { return isDocumentSet }
    let hasPlace =
      violation.index >= -1 && violation.index <= KeyRecord.largest
      && [violation.offset, violation.line, violation.column].allSatisfy { 0...KeyRecord.largest ~= $0 }
    let hasSet = isDocumentSet || operation == .duplicate || operation == .claim && hasScope(set)
    let hasBase = base.map { (0..<schema.setCount).contains(Int($0.set)) } ?? true
    // A comparison of whole records follows the step of their key.
    let step = Int(violation.step)
    let hasStep = schema.isDetailed.indices.contains(step) && schema.isDetailed[step] != nil
    return hasPlace && hasSet && hasBase && hasStep && violation.count >= 1 && (operation != .claim || violation.count == 1)
  }
}

/// Records on disk, in the order of writing.
struct KeyRecordChain {
  private let chain: SpillFile.Chain
  private var coder = KeyRecordCoder()

  init(in file: SpillFile) { chain = file.makeChain() }

  mutating func append(_ record: KeyRecord, to file: SpillFile, through buffer: inout ByteBuffer) throws(CofferError) {
    buffer.removeAll()
    coder.encode(record, into: &buffer)
    try file.append(buffer.bytes, to: chain)
  }

  func records(in file: SpillFile) -> Records { Records(chain, in: file) }

  func free(in file: SpillFile) { file.free(chain) }

  /// An iterator over the records of a chain.
  struct Records {
    private let chain: SpillFile.Chain
    private let file: SpillFile
    private var reader = KeyRecordReader()
    private var offset = 0

    fileprivate init(_ chain: SpillFile.Chain, in file: SpillFile) {
      self.chain = chain
      self.file = file
    }

    /// - Throws: `inputOutput` if the file can't be read, or is damaged.
    mutating func next() throws(CofferError) -> KeyRecord? {
      while true {
        if let record = reader.next() { return record }
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let count = try piece.withUnsafeMutableBufferPointer { [file, chain, offset] bytes throws(CofferError) in
          try file.read(chain, at: offset, into: UnsafeMutableRawBufferPointer(bytes))
        }
        if count == 0 { break }
        offset += count
        reader.append(piece.prefix(count))
      }
      if !reader.isAtEnd { throw file.damaged }
      return nil
    }
  }
}

/// Encodes and decodes a sequence of records compactly: each omits what it shares with the one before.
///
///     | heading: operation (2 bits) · form (3) · same array as before (1) · excerpt (1) · base (1) | key | set |
///
/// with the count and the form before the key if the count isn't 1 (then the heading has no form but 7), and, except for
/// definitions,
///
///     | step | the array's pointer | index | offset | line | column | form and excerpt | base's set, form and key |
///
/// The pointer is written without the prefix that it shares with the one before. Numbers are varints, index to column as the
/// difference from the record before. A reference takes about 20 to 30 bytes.
struct KeyRecordCoder {
  private enum Heading {
    static let operation: UInt8 = 0b11
    static let formShift: UInt8 = 2
    static let form: UInt8 = 0b111
    /// In place of the form: the count and the form follow the heading.
    static let counted: UInt8 = 0b111
    static let sameContainer: UInt8 = 1 << 5
    static let excerpt: UInt8 = 1 << 6
    static let base: UInt8 = 1 << 7
  }

  // The place of the previous record.
  private var container = ""
  private var index = 0
  private var offset = 0
  private var line = 0
  private var column = 0

  // MARK: Writing

  /// The most bytes that a record takes: at most 155 of heading, numbers and keys, and the array's pointer.
  static func sizeLimit(of record: KeyRecord) -> Int { 192 + record.violation.container.utf8.count }

  mutating func encode(_ record: KeyRecord, into buffer: inout ByteBuffer) {
    let violation = record.violation
    let isSame = violation.container == container
    let form = violation.count == 1 ? record.key.form.rawValue : Heading.counted
    var heading = record.operation.rawValue | form << Heading.formShift
    if isSame { heading |= Heading.sameContainer }
    if violation.excerpt != nil { heading |= Heading.excerpt }
    if record.base != nil { heading |= Heading.base }
    buffer.append(heading)
    if violation.count != 1 {
      buffer.append(varint: UInt64(bitPattern: Int64(violation.count)))
      buffer.append(record.key.form.rawValue)
    }
    buffer.append(key: record.key)
    buffer.append(varint: UInt64(record.set))
    if record.operation == .define { return }
    buffer.append(varint: UInt64(UInt32(bitPattern: violation.step)))
    if !isSame {
      buffer.append(Array(violation.container.utf8), after: Array(container.utf8))
      container = violation.container
    }
    buffer.append(signed: violation.index &- index)
    buffer.append(signed: violation.offset &- offset)
    buffer.append(signed: violation.line &- line)
    buffer.append(signed: violation.column &- column)
    (index, offset, line, column) = (violation.index, violation.offset, violation.line, violation.column)
    if let excerpt = violation.excerpt {
      buffer.append(excerpt.form.rawValue)
      buffer.append(key: excerpt)
    }
    if let base = record.base {
      buffer.append(varint: UInt64(UInt32(bitPattern: base.set)))
      buffer.append(base.key.form.rawValue)
      buffer.append(key: base.key)
    }
  }

  // MARK: Reading

  /// Reads the record at `cursor`. Returns `nil`, without changes, if the bytes are incomplete or were not written by `encode`.
  mutating func decode(_ cursor: inout RecordCursor) -> KeyRecord? {
    let heading = cursor.byte()
    var form = heading >> Heading.formShift & Heading.form
    var count = 1
    if form == Heading.counted {
      count = Int(truncatingIfNeeded: cursor.varint())
      form = cursor.byte()
    }
    let key = cursor.key(form: form)
    let set = cursor.number()
    guard let operation = KeyRecord.Operation(rawValue: heading & Heading.operation) else { return nil }
    var record = KeyRecord(
      operation: operation, set: set,
      violation: KeyViolation(
        kind: operation == .refer ? .dangling : .duplicate, step: -1, key: key, container: "", index: 0, offset: 0, line: 0,
        column: 0, count: count)
    )
    if operation == .define { return cursor.hasFailed ? nil : record }
    record.violation.step = cursor.smallNumber()
    record.violation.container = container
    if heading & Heading.sameContainer == 0 {
      record.violation.container = String(decoding: cursor.bytes(after: Array(container.utf8)), as: UTF8.self)
    }
    record.violation.index = index &+ cursor.signed()
    record.violation.offset = offset &+ cursor.signed()
    record.violation.line = line &+ cursor.signed()
    record.violation.column = column &+ cursor.signed()
    if heading & Heading.excerpt != 0 { record.violation.excerpt = cursor.key(form: cursor.byte()) }
    if heading & Heading.base != 0 {
      record.base = KeyLog.Target(set: cursor.smallNumber(), key: cursor.key(form: cursor.byte()))
    }
    if cursor.hasFailed { return nil }
    container = record.violation.container
    (index, offset) = (record.violation.index, record.violation.offset)
    (line, column) = (record.violation.line, record.violation.column)
    return record
  }
}

extension ByteBuffer {
  /// Appends a key without its form: integers as differences from zero, short strings without padding.
  @inline(__always)
  fileprivate mutating func append(key: KeyValue) {
    switch key.form {
    case .integer: append(signed: Int(key.integer))
    case .shortString:
      let count = Int(key.high >> 56)
      append(UInt8(truncatingIfNeeded: count))
      append(key.low, length: min(count, 8))
      append(key.high, length: max(count - 8, 0))
    case .upperUUID, .lowerUUID, .digest, .instant, .decimal:
      append(key.low, length: 8)
      append(key.high, length: 8)
    }
  }
}

extension RecordCursor {
  @inline(__always)
  fileprivate mutating func number() -> Int {
    guard let number = Int(exactly: varint()) else {
      fail()
      return 0
    }
    return number
  }

  @inline(__always)
  fileprivate mutating func smallNumber() -> Int32 {
    guard let number = UInt32(exactly: varint()) else {
      fail()
      return 0
    }
    return Int32(bitPattern: number)
  }

  @inline(__always)
  fileprivate mutating func key(form: UInt8) -> KeyValue {
    switch KeyValue.Form(rawValue: form) {
    case .integer: return KeyValue(integer: Int64(signed()))
    case .shortString:
      let count = Int(byte())
      let low = word(length: min(count, 8))
      let high = word(length: max(count - 8, 0))
      return KeyValue(.shortString, low, high | UInt64(truncatingIfNeeded: count) << 56)
    case .some(let form):
      let low = word(length: 8)
      return KeyValue(form, low, word(length: 8))
    case nil:
      fail()
      return .none
    }
  }
}

/// Reads the records that one `KeyRecordCoder` wrote, from bytes that may arrive in pieces.
struct KeyRecordReader {
  private var bytes: [UInt8]
  private var position = 0
  private var coder = KeyRecordCoder()

  init(_ bytes: [UInt8] = []) { self.bytes = bytes }

  /// True if all bytes have been read as records.
  var isAtEnd: Bool { position == bytes.count }

  /// Reads the next record. Returns `nil` if the bytes end before it does.
  mutating func next() -> KeyRecord? {
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return nil }
      var cursor = RecordCursor(ByteView(base, count: buffer.count), at: position)
      guard let record = coder.decode(&cursor) else { return nil }
      position = cursor.position
      return record
    }
  }

  /// Drops the bytes that have been read, and adds further ones.
  mutating func append(_ piece: some Collection<UInt8>) {
    bytes.removeFirst(position)
    position = 0
    bytes += piece
  }
}

extension ByteBuffer {
  mutating func append(_ text: String) {
    append(varint: UInt64(text.utf8.count))
    append(text.utf8)
  }

  /// Appends the length of the prefix that `bytes` share with `last`, then the other bytes.
  mutating func append(_ bytes: [UInt8], after last: [UInt8]) {
    let limit = min(bytes.count, last.count)
    var shared = 0
    while shared < limit, bytes[shared] == last[shared] { shared += 1 }
    append(varint: UInt64(shared))
    append(varint: UInt64(bytes.count - shared))
    append(bytes[shared...])
  }
}

/// Reads what was appended to a `ByteBuffer`.
///
/// Reading past the end returns zeros and sets `hasFailed`, so that one check at a record's end covers all of its parts.
struct RecordCursor {
  private let bytes: ByteView
  private(set) var position: Int
  /// True after a read past the end, or of invalid data.
  private(set) var hasFailed = false

  init(_ bytes: ByteView, at position: Int) {
    self.bytes = bytes
    self.position = position
  }

  mutating func fail() { hasFailed = true }

  @inline(__always)
  mutating func byte() -> UInt8 {
    guard position < bytes.count else {
      hasFailed = true
      return 0
    }
    position += 1
    return bytes[position - 1]
  }

  @inline(__always)
  mutating func word(length: Int) -> UInt64 {
    guard length <= 8, position + length <= bytes.count else {
      hasFailed = true
      return 0
    }
    position += length
    return bytes.dropFirst(position - length).prefix(length).leadingWord
  }

  @inline(__always)
  mutating func varint() -> UInt64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = byte()
      result |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return result }
      shift += 7
      if shift > 63 {
        hasFailed = true
        return 0
      }
    }
  }

  /// Reads a number with zigzag encoding.
  @inline(__always)
  mutating func signed() -> Int {
    let word = varint()
    return Int(truncatingIfNeeded: word &>> 1 ^ (0 &- (word & 1)))
  }

  mutating func text() -> String { view(varint()).string }

  /// Reads the next `length` bytes.
  mutating func view(_ length: UInt64) -> ByteView {
    guard length <= UInt64(bytes.count - position) else {
      hasFailed = true
      return bytes.prefix(0)
    }
    position += Int(length)
    return bytes.dropFirst(position - Int(length)).prefix(Int(length))
  }

  /// Reads the result of ``ByteBuffer/append(_:after:)``.
  mutating func bytes(after last: [UInt8]) -> [UInt8] {
    let shared = varint()
    let length = varint()
    guard shared <= UInt64(last.count), length <= UInt64(bytes.count - position) else {
      hasFailed = true
      return []
    }
    position += Int(length)
    return last[..<Int(shared)] + bytes.dropFirst(position - Int(length)).prefix(Int(length)).array
  }
}

/// Bytes with their length, eight bytes, before them.
extension ByteSink {
  mutating func writeFrame(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    var length = ByteBuffer(capacity: 64)
    length.append(UInt64(bytes.count), length: 8)
    try write(length.bytes)
    try write(bytes)
  }

  mutating func writeFrame(_ bytes: [UInt8]) throws(CofferError) {
    try bytes.withUnsafeBufferPointer { bytes throws(CofferError) in try writeFrame(UnsafeRawBufferPointer(bytes)) }
  }
}

extension ByteSource {
  /// Reads a frame. Returns `nil` at the source's end.
  ///
  /// - Throws: `damagedPartial` if the frame is not whole, or longer than `limit`; an error of the source.
  mutating func readFrame(limit: Int = KeyRecord.largest) throws(CofferError) -> [UInt8]? {
    let header = try readPrefix(8)
    if header.isEmpty { return nil }
    let length = header.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard header.count == 8, length <= UInt64(limit) else { throw .damagedPartial }
    let frame = try readPrefix(Int(length))
    guard frame.count == Int(length) else { throw .damagedPartial }
    return frame
  }
}
