import Dispatch

/// Runs a test's tasks on its own threads: on the shared ones, a test that only waits for child processes would wait for all busy
/// tests.
package final class DedicatedExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "DedicatedExecutor", attributes: .concurrent)

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
