import ByteStreams
import Coffer
import Findings
import Pipelines
import Platform
import Reports
import Synchronization

/// Shows the progress of a run on standard error: a line that is redrawn, a line every minute, or only what a signal asks for.
///
/// A thread of its own looks a few times a second. While `Output` prints, or a person answers, nothing is drawn.
final class ProgressDisplay: Sendable {
  enum Style: Sendable, Equatable {
    /// One line on a terminal, redrawn in place. Later output takes its place.
    case line
    /// A line for a log.
    case plain(every: Duration)
    /// Only what ``StateRequest`` asks for.
    case never
  }

  private struct Shown {
    var isDrawn = false
    var hasEnded = false
  }

  let progress = WorkProgress()
  private let title: String
  private let style: Style
  private let tick: Duration
  private let streams = StandardStreams.current
  private let shown = Mutex(Shown())

  /// Short work needs no line.
  private static let delay = Duration.milliseconds(500)
  private static let clearing = "\r\u{1B}[K"

  /// The display of the current run, for `Output`.
  @TaskLocal private static var current: ProgressDisplay?

  /// - Parameter tick: how often the thread looks.
  init(_ title: String, _ style: Style, tick: Duration = .milliseconds(200)) {
    self.title = title
    self.style = style
    self.tick = tick
  }

  /// Shows the progress of `body`.
  func run<R, E>(_ body: (WorkProgress) throws(E) -> R) throws(E) -> R {
    // Without another thread, there is nothing to see.
    try? BlockingWork.start { [self] in StandardStreams.$current.withValue(streams) { drawRepeatedly() } }
    defer {
      shown.withLock { shown in
        clear(&shown)
        shown.hasEnded = true
      }
    }
    return try Self.$current.withValue(self) { Result { () throws(E) in try body(progress) } }.get()
  }

  /// Calls `body` with nothing drawn meanwhile.
  static func hidden<R: Sendable, E>(_ body: () throws(E) -> R) throws(E) -> R {
    guard let display = current else { return try body() }
    let result = display.shown.withLock { shown in
      display.clear(&shown)
      return $current.withValue(nil) { Result { () throws(E) in try body() } }
    }
    return try result.get()
  }

  private func drawRepeatedly() {
    let start = ContinuousClock.now
    var lastLine = start
    while true {
      usleep(UInt32(tick / .microseconds(1)))
      let hasEnded = shown.withLock { shown in
        if shown.hasEnded { return true }
        if StateRequest.take() {
          clear(&shown)
          Self.write(text + "\n")
        }
        let now = ContinuousClock.now
        switch style {
        case .line where now - start >= Self.delay:
          Self.write(Self.clearing + text.cut(toColumns: (Terminal.columns(of: \.errors) ?? 80) - 1))
          shown.isDrawn = true
        case .plain(let interval) where now - lastLine >= interval:
          Self.write(text + "\n")
          lastLine = now
        default: break
        }
        return false
      }
      if hasEnded { return }
    }
  }

  private func clear(_ shown: inout Shown) {
    if shown.isDrawn { Self.write(Self.clearing) }
    shown.isDrawn = false
  }

  private static func write(_ text: String) {
    var sink = FileSink.standardError
    // An error here can't be reported anywhere.
    try? sink.write(text)
  }

  private var text: String { progress.snapshot.text(titled: title) }
}

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
