import ByteStreams
import Coffer

/// What is being done, in a line that the next takes the place of; for a person who looks on: nothing is shown where standard error is no terminal.
struct StatusLine {
  private let isShown = Terminal.isOpen(\.errors)

  func show(_ text: String) {
    if isShown { Output.inform("\r\u{1B}[K\(text.printable)", terminator: "", isTerminal: true) }
  }

  /// Leaves the line empty, for what comes.
  func clear() {
    if isShown { Output.inform("\r\u{1B}[K", terminator: "", isTerminal: true) }
  }
}
