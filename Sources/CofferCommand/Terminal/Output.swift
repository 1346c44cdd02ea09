import ByteStreams
import Coffer
import Platform
import SystemPackage

/// Results to standard output, diagnostics to standard error.
enum Output {
  /// A result that can't be written is said, and ends the run. A closed pipe is no error: whoever read it has seen enough.
  static func print(_ text: String) throws(ExitStatus) { _ = try isPrinted(text) }

  /// The same; and whether anybody was there to read it.
  static func isPrinted(_ text: String) throws(ExitStatus) -> Bool {
    var sink = FileSink.standardOutput
    do {
      try sink.write(text)
    } catch {
      if error.code == .brokenPipe { return false }
      complain(error.message)
      throw ExitStatus(writing: error)
    }
    return true
  }

  /// The report on something that is done, and stays done whether or not it can be told.
  static func report(_ text: String, on deed: String) throws(ExitStatus) {
    var sink = FileSink.standardOutput
    do {
      try sink.write(text)
    } catch {
      if error.code == .brokenPipe { return }
      complain("\(deed), but that can't be reported: \(error.message)")
      throw .unreadable
    }
  }

  /// What keeps the run from its end, in one line, whatever the names and values in it hold.
  static func complain(_ message: String) { inform("coffer: \(message.printable)") }

  /// What is worth knowing. Only the message's line breaks reach the terminal as they are: what is foreign in it has to have lost its own before.
  ///
  /// - Parameter isTerminal: it is for a terminal alone, and no word of it is foreign: control characters of ours go there as they are.
  static func inform(_ message: String, terminator: String = "\n", isTerminal: Bool = false) {
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    var sink = FileSink.standardError
    // Where even this can't be written, nobody is left to tell.
    if isTerminal { return (try? sink.write(message + terminator)) ?? () }
    try? sink.write(lines.map { String($0).printable }.joined(separator: "\n") + terminator)
  }

  /// Whether standard output takes colours: a terminal, and nobody objects (https://no-color.org).
  static func usesColor(unless isOff: Bool) -> Bool {
    if isOff || getenv("NO_COLOR").map({ $0.pointee != 0 }) ?? false { return false }
    return Terminal.isOpen(\.output)
  }

  /// Whether the path names a file that can be read again and again, as no pipe or device can.
  static func isRegularFile(_ path: String) -> Bool {
    var information = stat()
    return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
  }

  /// Whether a file stands in a folder or below it, or would, whatever links and relative paths lead there.
  static func isPath(_ path: String, within folder: String) -> Bool {
    let path = FilePath(path)
    let parent = path.removingLastComponent()
    guard let realFolder = realPath(folder), let realParent = realPath(parent.isEmpty ? "." : parent.string) else {
      return path.lexicallyNormalized().starts(with: FilePath(folder).lexicallyNormalized())
    }
    // The file itself may be a link.
    return realParent.starts(with: realFolder) || realPath(path.string)?.starts(with: realFolder) == true
  }

  /// `nil`: there is no such file.
  private static func realPath(_ path: String) -> FilePath? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return FilePath(String(cString: real))
  }

  /// Whether two paths name one file, which must not be read and replaced in one run. Devices and pipes are not replaced.
  static func isSameFile(_ a: String, _ b: String) -> Bool {
    var first = stat()
    var second = stat()
    guard stat(a, &first) == 0, stat(b, &second) == 0 else {
      return FilePath(a).lexicallyNormalized() == FilePath(b).lexicallyNormalized()
    }
    let type = first.st_mode & S_IFMT
    return (type == S_IFREG || type == S_IFDIR) && first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }
}
