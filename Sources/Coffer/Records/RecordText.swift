import JSONEvents

/// The text of one record of the spine, put together again from its events: its bytes have left the reader's buffer by the time it is complete.
///
/// Strings and numbers say what they said; what stood between them is gone, so the places of its values are kept beside it.
struct RecordText {
  private(set) var bytes: [UInt8] = []
  /// Where the record's values begin in the document, in their order.
  private(set) var places: [TextPosition] = []
  /// Something stands before, from which a comma must set the next key or value apart.
  private var needsComma = false

  /// Where the record begins.
  var start: TextPosition { places.first ?? TextPosition(offset: 0, line: 1, column: 1) }

  mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    needsComma = false
  }

  mutating func append(_ event: Event, of batch: EventBatch, at place: TextPosition) {
    let kind = event.kind
    let isEnd = kind == .objectEnd || kind == .arrayEnd
    if !isEnd {
      if needsComma { bytes.append(UInt8(ascii: ",")) }
      if kind != .key { places.append(place) }
    }
    needsComma = true
    switch kind {
    case .null: bytes += "null".utf8
    case .false: bytes += "false".utf8
    case .true: bytes += "true".utf8
    case .number: batch.text(of: event).withUnsafeBytes { bytes += $0 }
    case .string: append(batch.text(of: event))
    case .key:
      append(batch.text(of: event))
      bytes.append(UInt8(ascii: ":"))
      needsComma = false
    case .objectStart, .arrayStart:
      bytes.append(UInt8(ascii: kind == .objectStart ? "{" : "["))
      needsComma = false
    case .objectEnd: bytes.append(UInt8(ascii: "}"))
    case .arrayEnd: bytes.append(UInt8(ascii: "]"))
    }
  }

  private mutating func append(_ text: ByteView) {
    bytes.append(UInt8(ascii: "\""))
    for index in 0..<text.count {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case ..<0x20:
        bytes += "\\u00".utf8
        bytes.append(Self.digits[Int(byte >> 4)])
        bytes.append(Self.digits[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static let digits = Array("0123456789abcdef".utf8)
}
