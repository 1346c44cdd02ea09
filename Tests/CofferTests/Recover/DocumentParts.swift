/// The records of a well-formed document and their bytes, found by a plain scan that shares no code with Coffer.
struct DocumentParts {
  /// Items of the root, and of arrays in members of the root.
  struct Record {
    /// The pointer of its collection, unescaped.
    let path: String
    let range: Range<Int>
  }

  private(set) var records: [Record] = []
  private(set) var isWellFormed = true
  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    space()
    value(path: "", depth: 1)
    space()
    if index < bytes.count { isWellFormed = false }
    records.sort { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// The bytes between what precedes each collection and its first record.
  var headers: [String: Range<Int>] {
    var headers: [String: Range<Int>] = [:]
    for (number, record) in records.enumerated() where headers[record.path] == nil {
      let before = number == 0 ? 0 : records[number - 1].range.upperBound
      headers[record.path] = min(before, record.range.lowerBound)..<record.range.lowerBound
    }
    return headers
  }

  /// The ranges from the first to the last record of each collection.
  var spans: [Range<Int>] {
    Dictionary(grouping: records, by: \.path).values.map { records in
      records[0].range.lowerBound..<records[records.count - 1].range.upperBound
    }
  }

  private mutating func space() {
    while index < bytes.count, " \n\r\t".utf8.contains(bytes[index]) { index += 1 }
  }

  private mutating func string() {
    index += 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
    isWellFormed = isWellFormed && index < bytes.count
    index = min(index + 1, bytes.count)
  }

  private mutating func value(path: String, depth: Int) {
    let start = index
    switch index < bytes.count ? bytes[index] : 0 {
    case UInt8(ascii: "\""): string()
    case UInt8(ascii: "{"): container(isObject: true, path, depth)
    case UInt8(ascii: "["): container(isObject: false, path, depth)
    default:
      while index < bytes.count, !"{}[],:\" \n\r\t".utf8.contains(bytes[index]) { index += 1 }
      if index == start { isWellFormed = false }
    }
  }

  private mutating func container(isObject: Bool, _ path: String, _ depth: Int) {
    let end = UInt8(ascii: isObject ? "}" : "]")
    index += 1
    space()
    if take(end) { return }
    repeat {
      space()
      var inner = path
      if isObject {
        let name = index + 1
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return isWellFormed = false }
        string()
        inner += "/" + String(decoding: bytes[name..<max(name, index - 1)], as: UTF8.self)
        space()
        guard take(UInt8(ascii: ":")) else { return isWellFormed = false }
        space()
      }
      let start = index
      value(path: inner, depth: depth + 1)
      if !isObject, depth <= 2, isWellFormed { records.append(Record(path: path, range: start..<index)) }
      space()
    } while isWellFormed && take(UInt8(ascii: ","))
    if isWellFormed { isWellFormed = take(end) }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }
}
