/// The result for one figure: one run per round, or a failure.
package struct Measurement: Sendable, Equatable {
  /// One process, from its start to its end.
  package struct Run: Sendable, Equatable {
    package let seconds: Double
    /// Peak memory in bytes.
    package let peakMemory: Int

    package init(seconds: Double, peakMemory: Int) {
      self.seconds = seconds
      self.peakMemory = peakMemory
    }
  }

  /// The reason for a figure without measurements.
  package struct Failure: Sendable, Equatable, Encodable {
    /// One or two words, for a table cell.
    package let reason: String
    /// The command's error message; empty if there was none.
    package let message: String
    /// True if the document's findings prevented the step, so that the command behaved correctly.
    package let isForFindings: Bool

    private enum CodingKeys: CodingKey { case reason, message }

    package init(reason: String, message: String = "", isForFindings: Bool = false) {
      self.reason = reason
      self.message = message
      self.isForFindings = isForFindings
    }
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
