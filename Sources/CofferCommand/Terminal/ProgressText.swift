import Coffer
import Findings
import Reports

extension WorkProgress.Snapshot {
  /// The numbers in one line, the most important ones first:
  /// `validating: 312 of 490 MB (63 %), 180 MB/s, 1,234,567 records, 0:00:01 left, checking references`.
  func text(titled title: String) -> String {
    let parts = [bytes, speed, recordText, remaining, message]
    let text = parts.compactMap(\.self).joined(separator: ", ").printable
    return text.isEmpty ? title : "\(title): \(text)"
  }

  private var bytes: String? {
    guard let byteCount, byteCount > 0 else {
      return bytesRead > 0 ? "\((bytesRead / 1_000_000).grouped) MB" : nil
    }
    let (size, unit) = byteCount < 10_000_000 ? (1000, "kB") : (1_000_000, "MB")
    let read = (min(bytesRead, byteCount) / size).grouped
    return "\(read) of \((byteCount / size).grouped) \(unit) (\(percent))"
  }

  private var recordText: String? {
    guard let recordCount else { return records > 0 ? records.counted("record") : nil }
    return "\(records.grouped) of \(recordCount.counted("record"))" + (byteCount == nil ? " (\(percent))" : "")
  }

  private var percent: String { "\(Int((fraction ?? 0) * 100)) %" }

  private var speed: String? {
    guard bytesRead > 0, let bytesPerSecond else { return nil }
    let isHigh = bytesPerSecond >= 1e7
    return (isHigh ? "\(Int(bytesPerSecond / 1e6).grouped) MB" : TextReport.shortSize(Int(bytesPerSecond))) + "/s"
  }

  /// The remaining time; `nil` if it is unknown, or once everything has been read.
  private var remaining: String? {
    guard let timeLeft, timeLeft > .zero else { return nil }
    let seconds = Int((timeLeft / .seconds(1)).rounded(.up))
    func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(seconds / 3600):\(twoDigits(seconds / 60 % 60)):\(twoDigits(seconds % 60)) left"
  }
}
