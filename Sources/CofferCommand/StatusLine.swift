import Coffer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What is being done, in a line that the next takes the place of; for a person who looks on: nothing is shown where standard error is no terminal.
struct StatusLine {
  private let isShown = isatty(STDERR_FILENO) == 1

  func show(_ text: String) {
    if isShown { Output.inform("\r\u{1B}[K\(text.printable)", terminator: "", isTerminal: true) }
  }

  /// Leaves the line empty, for what comes.
  func clear() {
    if isShown { Output.inform("\r\u{1B}[K", terminator: "", isTerminal: true) }
  }
}
