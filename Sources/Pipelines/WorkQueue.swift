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
