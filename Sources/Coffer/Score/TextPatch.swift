/// Texts that are inserted into another one, and their unified diff.
struct TextPatch {
  /// A line with its break, and what replaces it if anything is inserted there.
  private struct Line {
    let old: ArraySlice<UInt8>
    var new: [UInt8]?
  }

  private var lines: [Line] = []

  private static let contextCount = 3
  private static let lineFeed = UInt8(ascii: "\n")

  /// - Parameter insertions: in ascending order.
  init(_ insertions: [(offset: Int, text: String)], in text: [UInt8]) {
    var rest = insertions[...]
    var start = 0
    while start < text.count {
      let end = text[start...].firstIndex(of: Self.lineFeed).map { $0 + 1 } ?? text.count
      var line = Line(old: text[start..<end])
      var position = start
      while let next = rest.first, next.offset < end || end == text.count {
        line.new = (line.new ?? []) + text[position..<next.offset] + next.text.utf8
        position = next.offset
        rest.removeFirst()
      }
      line.new?.append(contentsOf: text[position..<end])
      lines.append(line)
      start = end
    }
  }

  /// The text with the insertions.
  var text: [UInt8] { lines.flatMap { $0.new ?? Array($0.old) } }

  /// Returns the changes for `patch -p0`.
  func diff(named name: String) -> [UInt8] {
    var hunks: [Range<Int>] = []
    for line in lines.indices where lines[line].new != nil {
      let range = max(0, line - Self.contextCount)..<min(lines.count, line + Self.contextCount + 1)
      if let last = hunks.last, range.lowerBound <= last.upperBound {
        hunks[hunks.count - 1] = last.lowerBound..<range.upperBound
      } else {
        hunks.append(range)
      }
    }
    if hunks.isEmpty { return [] }
    var result = Array("--- \(name)\n+++ \(name)\n".utf8)
    var added = 0
    for hunk in hunks {
      var (body, newCount): ([UInt8], Int) = ([], 0)
      for line in lines[hunk] {
        let new = line.new.map { $0.split(after: Self.lineFeed) } ?? [line.old]
        newCount += new.count
        // A line that only moves isn't changed.
        let kept = new.firstIndex { $0.elementsEqual(line.old) }
        if kept == nil { Self.add("-", line.old, to: &body) }
        for (index, part) in new.enumerated() { Self.add(index == kept ? " " : "+", part, to: &body) }
      }
      result += Array("@@ -\(hunk.lowerBound + 1),\(hunk.count) +\(hunk.lowerBound + 1 + added),\(newCount) @@\n".utf8) + body
      added += newCount - hunk.count
    }
    return result
  }

  private static func add(_ mark: String, _ line: ArraySlice<UInt8>, to body: inout [UInt8]) {
    body += Array(mark.utf8) + line
    if line.last != lineFeed { body += Array("\n\\ No newline at end of file\n".utf8) }
  }
}

extension [UInt8] {
  /// Returns the parts that end after each of these bytes, and the rest.
  fileprivate func split(after byte: UInt8) -> [ArraySlice<UInt8>] {
    var parts: [ArraySlice<UInt8>] = []
    var start = 0
    while start < count {
      let end = self[start...].firstIndex(of: byte).map { $0 + 1 } ?? count
      parts.append(self[start..<end])
      start = end
    }
    return parts
  }
}
