/// What came of one figure: a run for each round, or why there is none.
package struct Measurement: Sendable, Equatable {
  /// One process from its start to its end.
  package struct Run: Sendable, Equatable {
    package let seconds: Double
    /// The most memory that it held at once, in bytes.
    package let peakMemory: Int

    package init(seconds: Double, peakMemory: Int) {
      self.seconds = seconds
      self.peakMemory = peakMemory
    }
  }

  /// Why a figure could not be measured.
  package struct Failure: Sendable, Equatable {
    /// In a word or two, for a table's cell.
    package let reason: String
    /// What the command said; empty if it said nothing.
    package let message: String
    /// Whether it is for the document's findings that nothing was done, so that the command did what it should.
    package let isForFindings: Bool

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

  /// What failed once is not done again, and has no figures.
  package mutating func fail(_ failure: Failure) {
    self.failure = failure
    runs = []
  }

  /// The median of the runs; of two in the middle their mean.
  package var seconds: Double? {
    let sorted = runs.map(\.seconds).sorted()
    guard !sorted.isEmpty else { return nil }
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  package var fastest: Double? { runs.map(\.seconds).min() }
  package var slowest: Double? { runs.map(\.seconds).max() }

  /// The most of all runs, in bytes.
  package var peakMemory: Int? { runs.map(\.peakMemory).max() }

  /// How many of `count` things a second takes care of, at most 10¹⁵; `nil` where nothing was measured.
  package func perSecond(_ count: Int) -> Double? {
    guard let seconds, seconds > 0 else { return nil }
    return min(Double(count) / seconds, 1e15)
  }
}
