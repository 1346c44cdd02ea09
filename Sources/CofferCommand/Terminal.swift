#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A person who sits at the terminal.
enum Terminal {
  /// Whether somebody can be asked: what is read, and what is said, is at a terminal.
  static var hasPerson: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Whether the person says yes. All else means no.
  static func asks(_ question: String) -> Bool {
    Output.inform(question, terminator: "")
    let answer = readLine()?.lowercased() ?? ""
    return answer == "y" || answer == "yes"
  }
}
