import Findings

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
