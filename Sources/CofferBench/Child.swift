package import ByteStreams
import Platform
package import SystemPackage

/// A child process. This value is the only owner of its process id, and kills it when it is destroyed.
///
/// For example:
///
///     let child = try Child("/bin/sh", ["-c", "echo 7; exit 3"])
///     let outcome = try child.wait()      // .exited(3), "7\n", a few milliseconds, a few megabytes
///
/// Its standard input is empty. Its time runs from before its creation until its end is noticed. Peak memory is the system's
/// figure. On Linux it is at least the memory of the parent at the time of the start, so measure from a small process.
package struct Child: ~Copyable {
  /// How a process ended, its time and its memory.
  package struct Outcome: Sendable {
    package enum Ending: Sendable, Equatable {
      case exited(Int32)
      case signalled(Int32)
    }

    package let ending: Ending
    package let seconds: Double
    /// Peak memory in bytes.
    package let peakMemory: Int
    /// The last mebibyte of its standard output, if it was kept.
    package var output: [UInt8] = []
    /// The last mebibyte of its standard error.
    package var errorOutput: [UInt8] = []
  }

  private let number: pid_t
  private let start: ContinuousClock.Instant
  private var isReaped = false
  private let output: DescriptorOwner?
  private let errorOutput: DescriptorOwner

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - executable: A path; `PATH` is not searched.
  ///   - environment: The complete environment of the process.
  ///   - keepsOutput: Whether to keep its standard output (default: it goes to /dev/null).
  ///   - folder: The folder of the files that keep its output, which have no names.
  /// - Throws: `CofferError` with the code `notStarted`, or that of the folder.
  package init(
    _ executable: FilePath, _ arguments: [String], environment: [String: String] = [:], keepsOutput: Bool = false,
    keptIn folder: FilePath = SpillFile.defaultFolder
  ) throws(CofferError) {
    start = .now
    (number, output, errorOutput) = try Self.started(executable, arguments, environment, keepsOutput, folder)
  }

  private static func started(
    _ executable: FilePath, _ arguments: [String], _ environment: [String: String], _ keepsOutput: Bool, _ folder: FilePath
  ) throws(CofferError) -> (pid_t, output: DescriptorOwner?, errorOutput: DescriptorOwner) {
    let errorOutput = try SpillFile.makeFile(in: folder)
    let output = keepsOutput ? try SpillFile.makeFile(in: folder) : nil
    do {
      return (try spawn(executable, arguments, environment, output: output, errorOutput: errorOutput), output, errorOutput)
    } catch {
      throw CofferError(.notStarted, "cannot start \(executable): \(error)")
    }
  }

  deinit {
    if isReaped { return }
    kill(number, SIGKILL)
    var status: CInt = 0
    while waitpid(number, &status, 0) < 0, errno == EINTR {}
  }

  /// Waits for the process to end.
  ///
  /// - Throws: `CancellationError` at most about 20 ms after `cancellation` was requested; the process is then killed.
  package consuming func wait(cancellation: Cancellation? = nil) throws(CancellationError) -> Outcome {
    while true {
      if cancellation?.isRequested == true { throw CancellationError() }
      var (status, usage): (CInt, rusage) = (0, rusage())
      let hasEnded = wait4(number, &status, WNOHANG, &usage) == number
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      guard hasEnded else {
        // The end is noticed a thousandth of the time too late, or 100 µs.
        usleep(UInt32(min(max(seconds * 1000, 100), 20_000)))
        continue
      }
      isReaped = true
      return Outcome(
        ending: Self.ending(status), seconds: seconds, peakMemory: Self.peakMemory(usage),
        output: output.map(Self.lastBytes) ?? [], errorOutput: Self.lastBytes(errorOutput))
    }
  }

  /// The last mebibyte of what a file keeps. A grandchild may still write to it.
  private static func lastBytes(_ file: DescriptorOwner) -> [UInt8] {
    let limit = 1 << 20
    let size = (try? file.descriptor.seek(offset: 0, from: .end)) ?? 0
    return [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      let target = UnsafeMutableRawBufferPointer(buffer)
      count = (try? file.descriptor.read(fromAbsoluteOffset: max(0, size - Int64(limit)), into: target)) ?? 0
    }
  }

  private static func ending(_ status: CInt) -> Outcome.Ending {
    // The macros of sys/wait.h, which Swift doesn't see: the low seven bits are the signal, the byte above them the exit status.
    status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
  }

  private static func peakMemory(_ usage: rusage) -> Int {
    #if canImport(Darwin)
      usage.ru_maxrss
    #else
      // ru_maxrss is in KiB.
      usage.ru_maxrss.multipliedReportingOverflow(by: 1024).partialValue
    #endif
  }
}

extension Child {
  /// Starts a process. Its standard input is /dev/null, and so is its standard output by default.
  ///
  /// - Throws: `Errno`.
  static func spawn(
    _ executable: FilePath, _ arguments: [String], _ environment: [String: String], output: DescriptorOwner?,
    errorOutput: DescriptorOwner
  ) throws -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    try check(posix_spawn_file_actions_init(&actions))
    defer { posix_spawn_file_actions_destroy(&actions) }
    try check(posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0))
    if let output {
      try check(posix_spawn_file_actions_adddup2(&actions, output.descriptor.rawValue, STDOUT_FILENO))
    } else {
      try check(posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0))
    }
    try check(posix_spawn_file_actions_adddup2(&actions, errorOutput.descriptor.rawValue, STDERR_FILENO))

    let texts = ([executable.string] + arguments).map { strdup($0) }
    let variables = environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") }
    defer { for text in texts + variables { free(text) } }
    guard !texts.contains(nil), !variables.contains(nil) else { throw Errno.noMemory }
    var number: pid_t = 0
    var result: CInt
    var attempts = 0
    repeat {
      result = posix_spawn(&number, executable.string, &actions, nil, texts + [nil], variables + [nil])
      attempts += 1
      // A program that was just written may still be open in a process that another thread is starting, until that process
      // executes its program.
      if result == ETXTBSY { usleep(10_000) }
    } while result == ETXTBSY && attempts <= 100
    try check(result)
    return number
  }

  private static func check(_ result: CInt) throws {
    if result != 0 { throw Errno(rawValue: result) }
  }
}
