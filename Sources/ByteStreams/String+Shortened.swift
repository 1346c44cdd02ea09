extension String {
  /// Returns the text with its middle removed if it exceeds `limit` bytes: `abc…(1048570 bytes cut)…xyz`.
  package func shortened(to limit: Int) -> String {
    if utf8.count <= limit { return self }
    var head = utf8.index(startIndex, offsetBy: limit / 2)
    var tail = utf8.index(endIndex, offsetBy: -(limit / 2))
    while utf8[head] & 0xC0 == 0x80 { head = utf8.index(before: head) }
    while tail < endIndex, utf8[tail] & 0xC0 == 0x80 { tail = utf8.index(after: tail) }
    return "\(self[..<head])…(\(utf8.distance(from: head, to: tail)) bytes cut)…\(self[tail...])"
  }
}
