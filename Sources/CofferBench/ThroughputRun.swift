import SystemPackage

/// Executes a plan, one process after another, and collects their measurements.
///
/// For example:
///
///     let run = ThroughputRun(plan, of: document, in: scratch) { try Child("/proc/self/exe", $0.arguments).wait() }
///     let measurements = try run.measurements { figure, number, count in print(figure, number, "of", count) }
package struct ThroughputRun {
  /// Runs the command once.
  package typealias Runner = (Invocation) throws -> Child.Outcome

  private let plan: ThroughputPlan
  private let document: Document
  private let scratch: Scratch
  private let runner: Runner

  package init(_ plan: ThroughputPlan, of document: Document, in scratch: Scratch, runner: @escaping Runner) {
    self.plan = plan
    self.document = document
    self.scratch = scratch
    self.runner = runner
  }

  /// Returns the measurement of each figure, in the plan's order. A failed step is not repeated, and steps that depend on its
  /// output are skipped; the others run.
  ///
  /// - Parameter progress: Called before each process with its purpose, its number and the number of processes.
  /// - Throws: The runner's errors.
  package func measurements(progress: (String, Int, Int) -> Void = { _, _, _ in }) throws -> [Measurement] {
    var measurements = plan.figures.map { Measurement($0) }
    var missing = Missing()
    for (number, turn) in plan.turns.enumerated() {
      progress(turn.words, number + 1, plan.turns.count)
      guard case .measure(let figure) = turn else {
        missing.note(turn, try missing.reason(for: turn) ?? failure(ofPreparing: turn))
        continue
      }
      guard let index = measurements.firstIndex(where: { $0.figure == figure }), measurements[index].failure == nil else {
        continue
      }
      if let reason = missing.reason(for: figure.step) {
        measurements[index].fail(reason)
        continue
      }
      let invocation = Invocation.figure(figure, of: document, in: scratch)
      let outcome = try runner(invocation)
      let failure = outcome.failure(of: invocation, for: figure.step)
      if let failure {
        measurements[index].fail(failure)
      } else {
        measurements[index].add(.init(seconds: outcome.seconds, peakMemory: outcome.peakMemory))
      }
      missing.note(turn, failure)
    }
    return measurements
  }

  private func failure(ofPreparing turn: ThroughputPlan.Turn) throws -> Measurement.Failure? {
    let invocation: Invocation? =
      switch turn {
      case .makePlain: Invocation(["decompress", document.file.string, scratch.plain.string])
      case .makeCompressed: Invocation(["compress", document.file.string, scratch.compressed.string])
      case .makeDatabase: .importing(document, scratch)
      case .makeTables: .makingTables(scratch)
      case .measure: nil
      }
    return try invocation.flatMap { try runner($0).failure(of: $0, for: turn == .makeDatabase ? .import : nil) }
  }
}

/// The missing inputs of steps, with the failures that caused them.
private struct Missing {
  private var failures: [ThroughputPlan.Turn: Measurement.Failure] = [:]

  mutating func note(_ turn: ThroughputPlan.Turn, _ failure: Measurement.Failure?) {
    guard case .measure(let figure) = turn else {
      failures[turn] = failure
      return
    }
    // Its database is that of later steps.
    if figure.step == .import { failures[.makeDatabase] = failure }
  }

  /// Returns the reason that a step can't run, or `nil` if it can.
  func reason(for step: Step) -> Measurement.Failure? {
    switch step {
    case .parse, .validate, .convert, .import: nil
    case .compress: failures[.makePlain]
    case .decompress: failures[.makeCompressed]
    case .merge, .export: noDatabase
    case .shellImport: failures[.makeTables]
    case .shellExport: failures[.makeTables] ?? noDatabase
    }
  }

  /// Returns the reason that a preparation can't run, or `nil` if it can.
  func reason(for turn: ThroughputPlan.Turn) -> Measurement.Failure? { turn == .makeTables ? noDatabase : nil }

  private var noDatabase: Measurement.Failure? {
    failures[.makeDatabase].map { .init(reason: "no database", message: $0.message, isForFindings: $0.isForFindings) }
  }
}

extension ThroughputPlan.Turn {
  fileprivate var words: String {
    switch self {
    case .measure(let figure): figure.words
    case .makePlain: "decompressing for compress"
    case .makeCompressed: "compressing for decompress"
    case .makeDatabase: "importing for later steps"
    case .makeTables: "writing tables for sqlite3"
    }
  }
}
