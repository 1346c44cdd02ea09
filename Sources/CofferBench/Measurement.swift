import ByteStreams
import Findings

/// The result for one figure: one run per round, or a failure.
package struct Measurement: Sendable, Equatable {
  /// One process, from its start to its end.
  package struct Run: Sendable, Equatable {
    package let seconds: Double
    /// Peak memory in bytes.
    package let peakMemory: Int
  }

  /// The reason for a figure without measurements.
  package struct Failure: Sendable, Equatable, Encodable {
    /// One or two words, for a table cell.
    package let reason: String
    /// The command's error message; empty if there was none.
    package var message = ""
    /// True if the document's findings prevented the step, so that the command behaved correctly.
    package var isForFindings = false

    private enum CodingKeys: CodingKey { case reason, message }
  }

  package let figure: Figure
  package private(set) var runs: [Run] = []
  package private(set) var failure: Failure?

  package init(_ figure: Figure, runs: [Run] = [], failure: Failure? = nil) {
    self.figure = figure
    self.runs = runs
    self.failure = failure
  }

  package mutating func add(_ run: Run) { runs.append(run) }

  /// Records a failure. A failed step is not repeated and has no runs.
  package mutating func fail(_ failure: Failure) {
    self.failure = failure
    runs = []
  }

  /// The median of the runs; the mean of the two middle ones if their number is even.
  package var seconds: Double? {
    let sorted = runs.map(\.seconds).sorted()
    guard !sorted.isEmpty else { return nil }
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  package var fastest: Double? { runs.map(\.seconds).min() }
  package var slowest: Double? { runs.map(\.seconds).max() }

  /// The maximum of all runs, in bytes.
  package var peakMemory: Int? { runs.map(\.peakMemory).max() }

  /// Returns the rate per second for `count` items, at most 10¹⁵, or `nil` if nothing was measured.
  package func perSecond(_ count: Int) -> Double? {
    guard let seconds, seconds > 0 else { return nil }
    return min(Double(count) / seconds, 1e15)
  }
}

/// One row of the result: a step with a number of worker threads.
package struct Figure: Hashable, Sendable {
  package let step: Step
  package let jobs: Int

  package init(_ step: Step, jobs: Int) {
    self.step = step
    self.jobs = jobs
  }

  /// `merge, 2 workers`
  package var words: String { "\(step.rawValue), \(jobs.counted("worker"))" }
}

extension Child.Outcome {
  /// Returns the failure of a run, or `nil` if it succeeded.
  ///
  /// - Parameter step: The measured step, or `nil` for the preparation of a step.
  func failure(of invocation: Invocation, for step: Step?) -> Measurement.Failure? {
    let message = said
    switch ending {
    case .exited(0): return nil
    case .exited(let status) where invocation.program == .shell: return .init(reason: "status \(status)", message: message)
    case .exited(1) where invocation.mayFind: return nil
    case .exited(1) where step == .import || step == .merge:
      return .init(reason: "refused: findings", message: message, isForFindings: true)
    case .exited(1): return .init(reason: "findings", message: message)
    case .exited(2): return .init(reason: "usage", message: message)
    case .exited(3): return .init(reason: "unreadable", message: message)
    case .exited(4): return .init(reason: "refused", message: message)
    case .exited(let status): return .init(reason: "status \(status)", message: message)
    case .signalled(let number): return .init(reason: "signal \(number)", message: message)
    }
  }

  /// The error message without the program's name, or the first line of standard error.
  private var said: String {
    let lines = String(decoding: errorOutput, as: UTF8.self).split(separator: "\n").map(String.init)
    let name = "coffer: "
    let line = lines.last { $0.hasPrefix(name) } ?? lines.first ?? ""
    return (line.hasPrefix(name) ? String(line.dropFirst(name.count)) : line).printable
  }
}
