/// Does one thing to each input: made once for each thread, so that it may keep what it needs from one input to the next.
package protocol Worker<Input, Output>: SendableMetatype {
  associatedtype Input: Sendable
  associatedtype Output: Sendable

  mutating func process(_ input: Input) -> Output
}

/// An ordered, bounded parallel map: inputs come from one place and results go to one place, in the inputs' order; what lies between runs side by side.
///
///     next ─▶ 7 ─▶ │ 6 │ 5 │ 4 │  ─▶ worker: 3                 2 ─▶ merge
///                  │  waiting  │  ─▶ worker: 1 … ready: 2, not before 1
///
/// The calling thread asks for inputs and merges results; when it can do neither, it works, too. It asks for inputs first while
/// fewer inputs wait than there are other threads: merging may take as long as working. With one job it does everything, and no thread is
/// made. Otherwise threads of the system are made for the length of one call and joined before it returns: none is left behind, and none of Swift's
/// cooperative threads ever waits.
///
/// Memory: at most `capacity` inputs and results at a time.
package struct OrderedPipeline: Sendable {
  /// How many threads work, the caller's included.
  package let jobs: Int
  /// How many inputs may be on their way between `next` and `merge`.
  package let capacity: Int

  private let stackSize: Int

  /// - Parameter stackSize: of the threads that are made; for workers that recurse.
  package init(jobs: Int, stackSize: Int? = nil) {
    self.stackSize = stackSize ?? WorkerThread.smallStack
    precondition(jobs > 0, "somebody has to work")
    self.jobs = jobs
    // The others go on with what waits while the calling thread is busy with an input of its own.
    capacity = jobs == 1 ? 1 : 2 * jobs
  }

  /// Whether results are wanted on.
  package enum Demand { case more, stop }

  /// Runs all inputs through workers.
  ///
  /// - Parameters:
  ///   - next: the next input; `nil` at the end. What it throws is thrown when all inputs before have been merged, unless `merge` has stopped by then.
  ///   - makeWorker: called once on each thread that works.
  ///   - merge: takes the results in order. What it throws ends everything.
  /// - Returns: the inputs that were not merged, in order: the one that `merge` stopped at, and those behind it that were already under way.
  package func run<W: Worker>(
    next: () throws -> W.Input?, makeWorker: @escaping @Sendable () -> W, merge: (W.Input, W.Output) throws -> Demand
  ) throws -> [W.Input] {
    let queue = WorkQueue<W.Input, W.Output>()
    // Where the system gives fewer threads, those that are there do the work: results don't depend on it.
    let threads = (1..<jobs).compactMap { _ in
      WorkerThread(stackSize: stackSize) {
        var worker = makeWorker()
        while let (index, input) = queue.waitForInput() { queue.finish(index, worker.process(input)) }
      }
    }
    defer {
      queue.close()
      for thread in threads { thread.join() }
    }
    var worker: W?
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
        if worker == nil { worker = makeWorker() }
        if let output = worker?.process(input) { queue.finish(index, output) }
      } else {
        queue.waitForResult()
      }
    }
  }
}
