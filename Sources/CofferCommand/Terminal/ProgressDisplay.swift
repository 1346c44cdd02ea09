import ByteStreams
import Coffer
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
