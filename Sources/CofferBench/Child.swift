package import ByteStreams
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A process that was started from here: the one owner of its number, ended with it.
///
/// For example:
///
///     let child = try Child("/bin/sh", ["-c", "echo 7; exit 3"])
///     let outcome = try child.wait()      // .exited(3), "7\n", some milliseconds, some megabytes
///
/// It reads nothing from standard input. Its time is that from before it is made to the moment at which its end is known; the most memory that it held
/// is what the system counted. Linux counts, as the least, what this process held when it made the other: measure from one that is small.
package struct Child: ~Copyable {
  /// How a process ended, and what it took.
  package struct Outcome: Sendable {
    package enum Ending: Sendable, Equatable {
      case exited(Int32)
      case signalled(Int32)
    }

    package let ending: Ending
    package let seconds: Double
    /// In bytes.
    package let peakMemory: Int
    /// What it wrote to standard output, if that was wanted: the last mebibyte.
    package let output: [UInt8]
    /// What it wrote to standard error: the last mebibyte.
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

  /// Starts it.
  ///
  /// - Parameters:
  ///   - executable: a path; `PATH` is not searched.
  ///   - environment: all variables that it gets.
  ///   - keepsOutput: whether its standard output is kept, instead of going to /dev/null.
  /// - Throws: `ThroughputError` with the code `notStarted`.
  package init(
    _ executable: FilePath, _ arguments: [String], environment: [String: String] = [:], keepsOutput: Bool = false
  ) throws(ThroughputError) {
    start = .now
    (number, output, complaint) = try Self.started(executable, arguments, environment, keepsOutput)
  }

  private static func started(
    _ executable: FilePath, _ arguments: [String], _ environment: [String: String], _ keepsOutput: Bool
  ) throws(ThroughputError) -> (pid_t, output: ReadEnd?, complaint: ReadEnd) {
    do {
      let errors = try Pipe()
      let results = keepsOutput ? try Pipe() : nil
      let number = try spawn(executable, arguments, environment, output: results?.writeEnd, complaint: errors.writeEnd)
      // The ends that are written go with this function, so that the pipes end with the process.
      return (number, results?.readEnd, errors.readEnd)
    } catch {
      throw ThroughputError(code: .notStarted, message: "cannot start \(executable): \(error)")
    }
  }

  deinit {
    if isReaped { return }
    kill(number, SIGKILL)
    var status: CInt = 0
    while waitpid(number, &status, 0) < 0, errno == EINTR {}
  }

  /// Waits until it has ended.
  ///
  /// - Throws: `CancellationError` some 20 ms after `cancellation` was requested, at the latest; then the process has been killed.
  package consuming func wait(cancellation: Cancellation? = nil) throws(CancellationError) -> Outcome {
    while true {
      // What it writes shows that it lives, and the ends of what it writes that it has ended: no wait is longer than needed.
      let isWriting = readOn()
      if cancellation?.isRequested == true { throw CancellationError() }
      var (status, usage): (CInt, rusage) = (0, rusage())
      guard wait4(number, &status, WNOHANG, &usage) == number else {
        // Its pipes end a moment before it can be waited for.
        if !isWriting { usleep(100) }
        continue
      }
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      isReaped = true
      // What is still in the pipes; a process that it left behind may keep them open.
      output?.readAll()
      complaint.readAll()
      return Outcome(
        ending: Self.ending(status), seconds: seconds, peakMemory: Self.peakMemory(usage), output: output?.bytes ?? [],
        complaint: complaint.bytes)
    }
  }

  /// Waits for up to 20 ms for something to read, and reads it; false once nothing more can come.
  private mutating func readOn() -> Bool {
    var polled = [complaint.polled] + (output.map { [$0.polled] } ?? [])
    // Negative ones are passed over.
    guard polled.contains(where: { $0.fd >= 0 }) else { return false }
    // Interrupted or not: who waits looks at what has become of it.
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
      // In KiB.
      usage.ru_maxrss.multipliedReportingOverflow(by: 1024).partialValue
    #endif
  }
}
