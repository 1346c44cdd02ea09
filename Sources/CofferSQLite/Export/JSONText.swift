/// Writes strings as JSON: quotation marks, backslashes and control characters are escaped, all else is unchanged.
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
