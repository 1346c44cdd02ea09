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

  mutating func encode(_ record: KeyRecord, into buffer: inout RecordBuffer) {
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
    buffer.append(difference: violation.index, from: index)
    buffer.append(difference: violation.offset, from: offset)
    buffer.append(difference: violation.line, from: line)
    buffer.append(difference: violation.column, from: column)
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
    record.violation.index = cursor.difference(from: index)
    record.violation.offset = cursor.difference(from: offset)
    record.violation.line = cursor.difference(from: line)
    record.violation.column = cursor.difference(from: column)
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

extension RecordBuffer {
  @inline(__always)
  fileprivate mutating func append(difference value: Int, from former: Int) {
    let difference = value &- former
    // Zigzag: small differences of either sign become small numbers.
    append(varint: UInt64(bitPattern: Int64(difference &<< 1 ^ difference &>> 63)))
  }

  /// Appends a key without its form: integers as differences from zero, short strings without padding.
  @inline(__always)
  fileprivate mutating func append(key: KeyValue) {
    switch key.form {
    case .integer: append(difference: Int(key.integer), from: 0)
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
  fileprivate mutating func difference(from former: Int) -> Int {
    let value = Int(truncatingIfNeeded: varint())
    return former &+ (Int(bitPattern: UInt(bitPattern: value) &>> 1) ^ -(value & 1))
  }

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
    case .integer: return KeyValue(integer: Int64(difference(from: 0)))
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
