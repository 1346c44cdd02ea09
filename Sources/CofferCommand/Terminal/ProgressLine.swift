import ByteStreams
import Coffer
import Platform
import Synchronization

/// A line on a terminal that shows the progress and the estimated time left; removed at the end.
final class ProgressLine: Sendable {
  private let verb: String
  private let progress: ByteProgress
  private let start = ContinuousClock.now
  private let hasEnded = Mutex(false)

  /// - Returns: `nil` if standard error is not a terminal.
  init?(_ verb: String, _ progress: ByteProgress) {
    guard Terminal.isOpen(\.errors) else { return nil }
    self.verb = verb
    self.progress = progress
    var thread = pthread_t(bitPattern: 0)
    let context = Unmanaged.passRetained(self)
    let code = pthread_create(
      &thread, nil,
      { context in
        #if canImport(Darwin)
          let line = Unmanaged<ProgressLine>.fromOpaque(context).takeRetainedValue()
        #else
          guard let context else { return nil }
          let line = Unmanaged<ProgressLine>.fromOpaque(context).takeRetainedValue()
        #endif
        line.run()
        return nil
      }, context.toOpaque())
    if code != 0 { context.release() } else { pthread_detach(thread) }
  }

  private func run() {
    // Short work needs no progress line.
    usleep(500_000)
    while true {
      let isOver = hasEnded.withLock { ended in
        if !ended { Output.inform("\r\u{1B}[K\(text)", terminator: "", isTerminal: true) }
        return ended
      }
      if isOver { return }
      usleep(200_000)
    }
  }

  /// Calls `body` with the line removed. Nothing is drawn meanwhile.
  func hidden(_ body: () throws -> Void) throws {
    try hasEnded.withLock { ended in
      if !ended { Output.inform("\r\u{1B}[K", terminator: "", isTerminal: true) }
      try body()
    }
  }

  /// Removes the line. Later output takes its place.
  func end() {
    hasEnded.withLock { ended in
      if !ended { Output.inform("\r\u{1B}[K", terminator: "", isTerminal: true) }
      ended = true
    }
  }

  private var text: String {
    let read = progress.bytesRead
    let megabytes = read / 1_000_000
    guard let total = progress.byteCount, total > 0, read > 0 else { return "\(verb): \(megabytes) MB" }
    if read >= total { return "\(verb): \(megabytes) MB read, finishing" }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let rest = seconds * Double(total - read) / Double(read)
    return "\(verb): \(megabytes) of \(total / 1_000_000) MB, about \(Int(rest.rounded(.up))) s left"
  }
}
