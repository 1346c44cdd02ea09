/// The report: the document, the machine and the measurements.
package struct ThroughputReport: Sendable, Equatable {
  package let file: String
  package let survey: DocumentSurvey
  package let machine: Machine
  package let rounds: Int
  /// The measurements by step, then by number of workers.
  package let measurements: [Measurement]
  package let leftOut: [ThroughputPlan.LeftOut]

  package init(
    file: String, survey: DocumentSurvey, machine: Machine, rounds: Int, measurements: [Measurement],
    leftOut: [ThroughputPlan.LeftOut] = []
  ) {
    self.file = file
    self.survey = survey
    self.machine = machine
    self.rounds = rounds
    self.measurements = measurements
    self.leftOut = leftOut
  }

  /// Returns millions of bytes of the uncompressed document per second.
  package func megabytesPerSecond(_ measurement: Measurement) -> Double? {
    measurement.perSecond(survey.bytes).map { $0 / 1e6 }
  }

  package func recordsPerSecond(_ measurement: Measurement) -> Double? { measurement.perSecond(survey.records) }

  /// Returns the speed relative to the first number of threads, or `nil` for that number itself, or if either was not measured.
  package func speedup(_ measurement: Measurement) -> Double? {
    let first = measurements.first { $0.figure.step == measurement.figure.step }
    return first?.figure == measurement.figure ? nil : ratio(of: first, to: measurement)
  }

  /// Returns the speed relative to the sqlite3 shell's equivalent, or `nil` if there is none or it was not measured.
  package func ratioToShell(_ measurement: Measurement) -> Double? {
    guard let peer = measurement.figure.step.peer else { return nil }
    return ratio(of: measurements.first { $0.figure.step == peer }, to: measurement)
  }

  private func ratio(of slower: Measurement?, to faster: Measurement) -> Double? {
    guard let slow = slower?.seconds, let fast = faster.seconds, fast > 0 else { return nil }
    return min(slow / fast, 1e6)
  }

  /// True if a step failed for a reason other than the document's findings.
  package var hasFailures: Bool { measurements.contains { $0.failure?.isForFindings == false } }

  /// True if the document has findings of severity error.
  package var hasFindings: Bool { !survey.isValid || measurements.contains { $0.failure?.isForFindings == true } }
}
