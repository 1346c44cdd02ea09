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
