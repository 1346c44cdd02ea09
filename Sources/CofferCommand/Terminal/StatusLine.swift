import ByteStreams
import Coffer

/// A line with the current step, replaced by the next one. Nothing is shown if standard error is not a terminal.
struct StatusLine {
  private let isShown = Terminal.isOpen(\.errors)

  func show(_ text: String) {
    if isShown { Output.inform("\r\u{1B}[K\(text.printable)", terminator: "", isTerminal: true) }
  }

  /// Clears the line for later output.
  func clear() {
    if isShown { Output.inform("\r\u{1B}[K", terminator: "", isTerminal: true) }
  }
}
