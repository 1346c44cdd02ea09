/// An ordered, bounded parallel map: inputs are read and results are merged in order by one thread; the work between runs in
/// parallel.
///
///     next ─▶ 7 ─▶ │ 6 │ 5 │ 4 │  ─▶ worker: 3                 2 ─▶ merge
///                  │  waiting  │  ─▶ worker: 1 … ready: 2, not before 1
///
/// The calling thread reads inputs and merges results; if it can do neither, it works, too. Reading has priority while fewer
/// inputs wait than there are other threads, because merging may take as long as working. With one job, the calling thread does
/// everything. Otherwise system threads are created for one call and joined before it returns, so that no threads outlive the
/// call and Swift's cooperative threads never wait.
///
/// Memory: at most `capacity` inputs and results at a time.
package struct OrderedPipeline: Sendable {
  /// The number of working threads, including the caller's.
  package let jobs: Int
  /// The largest number of inputs between `next` and `merge`.
  package let capacity: Int

  private let stackSize: Int

  /// - Parameter stackSize: the stack size of the created threads, for workers that recurse.
  package init(jobs: Int, stackSize: Int? = nil) {
    self.stackSize = stackSize ?? WorkerThread.smallStack
    precondition(jobs > 0, "jobs must be positive")
    self.jobs = jobs
    // Twice the jobs, so that the other threads have work while the calling thread processes an input.
    capacity = jobs == 1 ? 1 : 2 * jobs
  }

  /// The answer of `merge`: continue, or stop because it needs no more results.
  package enum Demand { case more, stop }

  /// Processes all inputs.
  ///
  /// - Parameters:
  ///   - next: returns the next input, or `nil` at the end. Its error is rethrown after all previous inputs were merged, unless
  ///     `merge` stops before.
  ///   - makeWorker: called once on each working thread. The closure that it returns processes inputs on that thread, and may keep
  ///     state from one to the next.
  ///   - merge: takes the results in order. Its error ends the run immediately.
  /// - Returns: the unmerged inputs in order: the one at which `merge` stopped, and later ones that were already read.
  package func run<Input: Sendable, Output: Sendable>(
    next: () throws -> Input?, makeWorker: @escaping @Sendable () -> (Input) -> Output, merge: (Input, Output) throws -> Demand
  ) throws -> [Input] {
    let queue = WorkQueue<Input, Output>()
    // If the system creates fewer threads, the others do all the work: the results are the same.
    let threads = (1..<jobs).compactMap { _ in
      WorkerThread(stackSize: stackSize) {
        let work = makeWorker()
        while let (index, input) = queue.waitForInput() { queue.finish(index, work(input)) }
      }
    }
    defer {
      queue.close()
      for thread in threads { thread.join() }
    }
    var ownWork: ((Input) -> Output)?
    var isExhausted = false
    var failure: (any Error)?
    while true {
      let mayAsk = !isExhausted && queue.count < capacity
      if !(mayAsk && queue.waitingCount < threads.count), let (input, output) = queue.takeResult() {
        if try merge(input, output) == .stop {
          queue.close()
          return [input] + queue.unmerged()
        }
      } else if mayAsk {
        do {
          if let input = try next() { queue.append(input) } else { isExhausted = true }
        } catch {
          failure = error
          isExhausted = true
        }
      } else if queue.count == 0 {
        if let failure { throw failure }
        return []
      } else if let (index, input) = queue.takeInput() {
        let work = ownWork ?? makeWorker()
        ownWork = work
        queue.finish(index, work(input))
      } else {
        queue.waitForResult()
      }
    }
  }
}

/// The pending inputs in order, each with its result when it is ready. All methods may be called from any thread.
final class WorkQueue<Input: Sendable, Output: Sendable>: @unchecked Sendable {
  // @unchecked: `monitor` guards all properties.
  private struct Entry {
    var input: Input
    var output: Output?
    var isStarted = false
  }

  private let monitor = Monitor()
  private var entries: [Entry] = []
  /// The number of the first entry, counted from the pipeline's start.
  private var first = 0
  private var isClosed = false

  /// The number of pending inputs.
  var count: Int { monitor.locked { entries.count } }

  /// The number of inputs that no thread has started.
  var waitingCount: Int { monitor.locked { entries.count { !$0.isStarted } } }

  func append(_ input: Input) {
    monitor.locked {
      entries.append(Entry(input: input))
      monitor.wakeAll()
    }
  }

  /// Takes the first input that no thread has started, with its number.
  func takeInput() -> (Int, Input)? { monitor.locked { start() } }

  /// Waits for an input that no thread has started and takes it. Returns `nil` once the queue is closed.
  func waitForInput() -> (Int, Input)? {
    monitor.locked {
      while !isClosed {
        if let started = start() { return started }
        monitor.wait()
      }
      return nil
    }
  }

  private func start() -> (Int, Input)? {
    guard let index = entries.firstIndex(where: { !$0.isStarted }) else { return nil }
    entries[index].isStarted = true
    return (first + index, entries[index].input)
  }

  func finish(_ number: Int, _ output: Output) {
    monitor.locked {
      entries[number - first].output = output
      monitor.wakeAll()
    }
  }

  /// Takes the next result in order, if it is ready, with its input.
  func takeResult() -> (Input, Output)? {
    monitor.locked {
      guard let entry = entries.first, let output = entry.output else { return nil }
      entries.removeFirst()
      first += 1
      return (entry.input, output)
    }
  }

  /// Waits until the next result in order is ready.
  func waitForResult() {
    monitor.locked {
      while let entry = entries.first, entry.output == nil { monitor.wait() }
    }
  }

  /// Prevents threads from starting more inputs.
  func close() {
    monitor.locked {
      isClosed = true
      monitor.wakeAll()
    }
  }

  /// Waits until no thread works on an input, and returns all pending inputs.
  func unmerged() -> [Input] {
    monitor.locked {
      while entries.contains(where: { $0.isStarted && $0.output == nil }) { monitor.wait() }
      return entries.map(\.input)
    }
  }
}
