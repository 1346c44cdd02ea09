import ByteStreams
import Platform
import SystemPackage

/// The terminal of the standard streams, if there is one.
enum Terminal {
  /// Returns true if one of the standard streams is a terminal.
  static func isOpen(_ stream: KeyPath<StandardStreams, FileDescriptor>) -> Bool {
    isatty(StandardStreams.current[keyPath: stream].rawValue) == 1
  }

  /// True if the terminal understands no escape sequences.
  static var isDumb: Bool { variable("TERM") == "dumb" }

  /// Returns the value of an environment variable; empty if it isn't set.
  static func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }

  /// Returns the path that an environment variable has, if it is absolute. Others don't count, as the XDG specification says.
  static func path(_ name: String) -> FilePath? {
    let path = FilePath(variable(name))
    return path.isAbsolute ? path : nil
  }

  /// The number of columns of a standard stream, or `nil` if it is not a terminal.
  static func columns(of stream: KeyPath<StandardStreams, FileDescriptor>) -> Int? {
    guard isOpen(stream) else { return nil }
    var size = winsize()
    let isKnown = ioctl(StandardStreams.current[keyPath: stream].rawValue, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return isKnown ? Int(size.ws_col) : 80
  }

  /// True if a question can be asked and answered on a terminal.
  static var hasPerson: Bool { isOpen(\.input) && isOpen(\.errors) }

  /// Asks a question. Anything but "y" or "yes" means no; an empty line means the default.
  static func asks(_ question: String, default: Bool = false) -> Bool {
    ProgressDisplay.hidden {
      Output.printNotice(question, terminator: "")
      let answer = readLine()?.lowercased() ?? ""
      return answer.isEmpty ? `default` : answer == "y" || answer == "yes"
    }
  }
}

/// The version of the command and of its reports.
enum Version {
  static let text = "0.1.0"
}
