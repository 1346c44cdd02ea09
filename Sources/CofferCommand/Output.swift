import Coffer
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Results to standard output, diagnostics to standard error.
enum Output {
  /// A closed pipe is no error: whoever read it has seen enough.
  static func print(_ text: String) {
    var sink = FileSink.standardOutput
    do {
      try sink.write(text)
    } catch {
      if error.code != .brokenPipe { complain(error.message) }
    }
  }

  static func complain(_ message: String) { inform("coffer: \(message)") }

  static func inform(_ message: String) {
    var sink = FileSink.standardError
    // Where even this can't be written, nobody is left to tell.
    try? sink.write(message + "\n")
  }

  /// Whether standard output takes colours: a terminal, and nobody objects (https://no-color.org).
  static func usesColor(unless isOff: Bool) -> Bool {
    if isOff || getenv("NO_COLOR").map({ $0.pointee != 0 }) ?? false { return false }
    return isatty(STDOUT_FILENO) == 1
  }

  /// Whether the path names a file that can be read again and again, as no pipe or device can.
  static func isRegularFile(_ path: String) -> Bool {
    var information = stat()
    return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
  }

  /// Whether two paths name one file, which must not be read and replaced in one run.
  static func isSameFile(_ a: String, _ b: String) -> Bool {
    if FilePath(a).lexicallyNormalized() == FilePath(b).lexicallyNormalized() { return true }
    var first = stat()
    var second = stat()
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }
}
