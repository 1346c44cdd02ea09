/// A text as JSON writes it: quotation marks, reverse solidus and control characters escaped, all else as it is.
enum JSONText {
  static func quoted(_ text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { bytes in
      var pen = Pen(capacity: bytes.count)
      pen.put(quoted: bytes)
      return Array(pen.bytes)
    }
  }
}
