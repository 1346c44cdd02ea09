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
    package let output: [UInt8]
    /// The last mebibyte of its standard error.
    package let complaint: [UInt8]

    package init(ending: Ending, seconds: Double, peakMemory: Int, output: [UInt8] = [], complaint: [UInt8] = []) {
      self.ending = ending
      self.seconds = seconds
      self.peakMemory = peakMemory
      self.output = output
      self.complaint = complaint
    }
  }

  private let number: pid_t
  private let start: ContinuousClock.Instant
  private var isReaped = false
  private var output: ReadEnd?
  private var complaint: ReadEnd

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - executable: A path; `PATH` is not searched.
  ///   - environment: The complete environment of the process.
  ///   - keepsOutput: Whether to keep its standard output (default: it goes to /dev/null).
  /// - Throws: `CofferError` with the code `notStarted`.
  package init(
    _ executable: FilePath, _ arguments: [String], environment: [String: String] = [:], keepsOutput: Bool = false
  ) throws(CofferError) {
    start = .now
    (number, output, complaint) = try Self.started(executable, arguments, environment, keepsOutput)
  }

  private static func started(
    _ executable: FilePath, _ arguments: [String], _ environment: [String: String], _ keepsOutput: Bool
  ) throws(CofferError) -> (pid_t, output: ReadEnd?, complaint: ReadEnd) {
    do {
      let errors = try Pipe()
      let results = keepsOutput ? try Pipe() : nil
      let number = try spawn(executable, arguments, environment, output: results?.writeEnd, complaint: errors.writeEnd)
      // The write ends are closed when this function returns, so that the pipes end with the process.
      return (number, results?.readEnd, errors.readEnd)
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
      // Output shows that the process is alive, and the end of its pipes that it has ended, so no wait is longer than needed.
      let isWriting = readOn()
      if cancellation?.isRequested == true { throw CancellationError() }
      var (status, usage): (CInt, rusage) = (0, rusage())
      guard wait4(number, &status, WNOHANG, &usage) == number else {
        // The pipes end shortly before the process can be reaped.
        if !isWriting { usleep(100) }
        continue
      }
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      isReaped = true
      // Reads the rest of the pipes without waiting for their end: a grandchild may keep them open.
      output?.readAll()
      complaint.readAll()
      return Outcome(
        ending: Self.ending(status), seconds: seconds, peakMemory: Self.peakMemory(usage), output: output?.bytes ?? [],
        complaint: complaint.bytes)
    }
  }

  /// Waits up to 20 ms for output and reads it. Returns false once both pipes have ended.
  private mutating func readOn() -> Bool {
    var polled = [complaint.polled] + (output.map { [$0.polled] } ?? [])
    // poll skips negative descriptors.
    guard polled.contains(where: { $0.fd >= 0 }) else { return false }
    // A timeout or an interruption: the caller checks the process again.
    guard poll(&polled, nfds_t(polled.count), 20) > 0 else { return true }
    if polled[0].revents != 0 { complaint.read() }
    if polled.count > 1, polled[1].revents != 0 { output?.read() }
    return true
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
    complaint: DescriptorOwner
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
    try check(posix_spawn_file_actions_adddup2(&actions, complaint.descriptor.rawValue, STDERR_FILENO))

    let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return try withCStrings([executable.string] + arguments) { arguments in
      try withCStrings(variables) { variables in
        var number: pid_t = 0
        var result = posix_spawn(&number, executable.string, &actions, nil, arguments, variables)
        // A program that was just written may still be open in a process that another thread is starting, until that process
        // executes its program.
        for _ in 0..<100 where result == ETXTBSY {
          usleep(10_000)
          result = posix_spawn(&number, executable.string, &actions, nil, arguments, variables)
        }
        try check(result)
        return number
      }
    }
  }

  private static func check(_ result: CInt) throws {
    if result != 0 { throw Errno(rawValue: result) }
  }

  /// Calls `body` with a null-terminated array of C strings.
  private static func withCStrings<R>(
    _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) throws -> R
  ) throws -> R {
    var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    guard !pointers.contains(nil) else { throw Errno.noMemory }
    pointers.append(nil)
    return try pointers.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { throw Errno.noMemory }
      return try body(start)
    }
  }
}

/// Both ends of a pipe. Other processes inherit neither unless it is passed to them.
struct Pipe {
  let readEnd: ReadEnd
  let writeEnd: DescriptorOwner

  /// - Throws: `Errno`.
  init() throws {
    let ends = try FileDescriptor.pipe()
    readEnd = ReadEnd(DescriptorOwner(ends.readEnd, closes: true))
    writeEnd = DescriptorOwner(ends.writeEnd, closes: true)
    for end in [ends.readEnd, ends.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
    // Reads never block, because there may be no writer left.
    _ = fcntl(ends.readEnd.rawValue, F_SETFL, O_NONBLOCK)
  }
}

/// The read end of a pipe, and the last mebibyte of its output.
struct ReadEnd {
  private static let limit = 1 << 20

  private var owner: DescriptorOwner?
  private(set) var bytes: [UInt8] = []

  init(_ owner: DescriptorOwner) { self.owner = owner }

  /// The argument for `poll`, which skips it once the pipe has ended.
  var polled: pollfd { pollfd(fd: owner?.descriptor.rawValue ?? -1, events: Int16(POLLIN), revents: 0) }

  /// Reads the available bytes, up to 64 KiB. Returns false if there were none.
  @discardableResult
  mutating func read() -> Bool {
    guard let owner else { return false }
    let count = try? withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
      let count = try owner.descriptor.read(into: buffer)
      bytes += UnsafeRawBufferPointer(rebasing: buffer[..<count])
      return count
    }
    if count == 0 { self.owner = nil }
    if bytes.count > 2 * Self.limit { bytes.removeFirst(bytes.count - Self.limit) }
    return count ?? 0 > 0
  }

  /// Reads all available bytes.
  mutating func readAll() {
    while read() {}
    if bytes.count > Self.limit { bytes.removeFirst(bytes.count - Self.limit) }
  }
}
