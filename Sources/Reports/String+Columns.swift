extension String {
  /// The number of columns on a terminal.
  package var columns: Int { utf8.count == unicodeScalars.count ? utf8.count : reduce(0) { $0 + $1.columns } }

  /// Returns the text, or its start and an ellipsis in as many columns as there are.
  ///
  /// - Parameter keepsEnd: true to put the ellipsis into the middle, because names with dates differ at their end.
  package func cut(toColumns limit: Int, keepsEnd: Bool = false) -> String {
    if columns <= limit { return self }
    if limit < 1 { return "" }
    let endWidth = keepsEnd ? limit * 7 / 10 : 0
    let start = prefix(ofColumns: limit - 1 - endWidth)
    return start + "…" + String(String(reversed()).prefix(ofColumns: endWidth).reversed())
  }

  private func prefix(ofColumns limit: Int) -> Substring {
    var rest = limit
    return prefix { character in
      rest -= character.columns
      return rest >= 0
    }
  }
}

extension Character {
  /// The number of columns on a terminal: 2 for East Asian characters and emoji. Never less than a terminal uses.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x2E80...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F000...0x1FAFF,
    0x20000...0x3FFFD,
  ]

  fileprivate var columns: Int {
    unicodeScalars.reduce(0) { columns, scalar in
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark: return columns
      default:
        let isWide = scalar.properties.isEmojiPresentation || Self.wide.contains { $0.contains(scalar.value) }
        return columns + (isWide ? 2 : 1)
      }
    }
  }
}
