import ArgumentParser
import Coffer
import Platform

/// Whether and how the progress is shown.
struct ProgressArgument: ParsableArguments {
  enum Choice: String, ExpressibleByArgument, CaseIterable { case auto, plain, never }

  @Option(help: "Show the progress on standard error: as a line on a terminal, as plain lines every minute, or never.")
  var progress = Choice.auto

  @Flag(help: "Short for --progress never.")
  var noProgress = false

  /// For logs.
  private static let interval = Duration.seconds(60)

  func validate() throws {
    if noProgress, progress == .plain { throw ValidationError("--no-progress and --progress plain can't be combined") }
  }

  /// Shows the progress of `body`, which passes it to the library.
  ///
  /// - Parameters:
  ///   - title: what the command does, such as `validating`.
  ///   - output: the document to write, which may go to the same terminal; `-` is standard output.
  func show<R, E>(_ title: String, writing output: String? = nil, _ body: (WorkProgress) throws(E) -> R) throws(E) -> R {
    try ProgressDisplay(title, style(writing: output)).run(body)
  }

  func style(writing output: String?) -> ProgressDisplay.Style {
    if noProgress { return .never }
    switch progress {
    case .never: return .never
    case .plain: return .plain(every: Self.interval)
    case .auto:
      let isDisturbing = output == "-" && Terminal.isOpen(\.output)
      return Terminal.isOpen(\.errors) && !Terminal.isDumb && !isDisturbing ? .line : .never
    }
  }
}

extension WorkProgress {
  /// Returns the results of `body` for each file. If there are several, the progress is that of all, and names the current one.
  ///
  /// - Parameters:
  ///   - files: the paths; `-` is standard input.
  ///   - passes: the number of times that a file is read.
  func results<R>(for files: [String], passes: Int = 1, _ body: (String) throws -> R) rethrows -> [R] {
    if files.count == 1 { return try files.map(body) }
    var byteCount: Int? = 0
    for file in files {
      let size = Self.size(of: file)
      byteCount = byteCount.flatMap { sum in size.map { sum &+ $0 &* passes } }
    }
    begin(byteCount: byteCount)
    return try files.enumerated().map { number, file in
      say("\(FileSource.name(ofArgument: file)) (\(number + 1) of \(files.count))")
      return try body(file)
    }
  }

  /// Returns `nil` for a stream. A file that can't be read has no bytes.
  private static func size(of file: String) -> Int? {
    if file == "-" { return nil }
    var information = stat()
    guard stat(file, &information) == 0 else { return 0 }
    return information.st_mode & S_IFMT == S_IFREG ? Int(information.st_size) : nil
  }
}
