/// The inputs that are under way, in order, each with its result once that is there. All its methods may be called from any thread.
final class WorkQueue<Input: Sendable, Output: Sendable>: @unchecked Sendable {
  // @unchecked: `monitor` guards all of it.
  private struct Entry {
    var input: Input
    var output: Output?
    var isStarted = false
  }

  private let monitor = Monitor()
  private var entries: [Entry] = []
  /// The number of the first entry: results are counted from the pipeline's start.
  private var first = 0
  private var isClosed = false

  /// How many inputs are under way.
  var count: Int { monitor.locked { entries.count } }

  /// The number of inputs that no thread has started.
  var waitingCount: Int { monitor.locked { entries.count { !$0.isStarted } } }

  func append(_ input: Input) {
    monitor.locked {
      entries.append(Entry(input: input))
      monitor.wakeAll()
    }
  }

  /// The first input that nobody has started, with its number.
  func takeInput() -> (Int, Input)? { monitor.locked { start() } }

  /// The same, when there is one; `nil` once the queue is closed.
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

  /// The result that is next in order, if it is there, and its input.
  func takeResult() -> (Input, Output)? {
    monitor.locked {
      guard let entry = entries.first, let output = entry.output else { return nil }
      entries.removeFirst()
      first += 1
      return (entry.input, output)
    }
  }

  /// Waits until the result that is next in order is there.
  func waitForResult() {
    monitor.locked {
      while let entry = entries.first, entry.output == nil { monitor.wait() }
    }
  }

  /// No input is started any more.
  func close() {
    monitor.locked {
      isClosed = true
      monitor.wakeAll()
    }
  }

  /// What is still under way; nobody works on it any more when this returns.
  func unmerged() -> [Input] {
    monitor.locked {
      while entries.contains(where: { $0.isStarted && $0.output == nil }) { monitor.wait() }
      return entries.map(\.input)
    }
  }
}
