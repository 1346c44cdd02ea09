import Coffer
import Findings
import Reports

extension WorkProgress.Snapshot {
  /// The numbers in one line, the most important ones first:
  /// `validating: 312 of 490 MB (63 %), 180 MB/s, 1,234,567 records, 0:00:01 left, checking references`.
  func text(titled title: String) -> String {
    let parts = [bytes, speed, records > 0 ? records.counted("record") : nil, rest, message]
    let text = parts.compactMap(\.self).joined(separator: ", ").printable
    return text.isEmpty ? title : "\(title): \(text)"
  }

  private var bytes: String? {
    guard let fraction, let byteCount, byteCount > 0 else {
      return bytesRead > 0 ? "\(TextReport.grouped(bytesRead / 1_000_000)) MB" : nil
    }
    let (size, unit) = byteCount < 10_000_000 ? (1000, "kB") : (1_000_000, "MB")
    let read = TextReport.grouped(min(bytesRead, byteCount) / size)
    return "\(read) of \(TextReport.grouped(byteCount / size)) \(unit) (\(Int(fraction * 100)) %)"
  }

  private var speed: String? {
    guard bytesRead > 0, let bytesPerSecond else { return nil }
    let isHigh = bytesPerSecond >= 1e7
    return (isHigh ? "\(TextReport.grouped(Int(bytesPerSecond / 1e6))) MB" : TextReport.shortSize(Int(bytesPerSecond))) + "/s"
  }

  /// Nothing is left to read while the rest of the work is done.
  private var rest: String? {
    guard let timeLeft, timeLeft > .zero else { return nil }
    let seconds = Int((timeLeft / .seconds(1)).rounded(.up))
    func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(seconds / 3600):\(twoDigits(seconds / 60 % 60)):\(twoDigits(seconds % 60)) left"
  }
}

extension String {
  /// The text, or as much of it as a terminal shows in so many columns, with an ellipsis.
  func cut(toColumns limit: Int) -> String {
    var columns = 0
    var end = startIndex
    for index in indices {
      columns += self[index].columns
      if columns > limit { return String(self[..<end]) + (limit > 0 ? "…" : "") }
      // The ellipsis needs a column.
      if columns < limit { end = self.index(after: index) }
    }
    return self
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
