import Synchronization

/// Saves an app's changes together, shortly after they are made, and retries failed saves.
///
///     change, change ─▶ one for each key ─▶ 500 ms without another, at most 5 s ─▶ one save of all ─▶ saved
///                              ▲                                                     │
///                              └──────────── 1 s, 2 s, 4 s … 60 s ◀──────────────────┘ failed
///
/// If the closure says which changes it couldn't save (``UnsavedChanges``), the others are saved. The error then names the keys
/// (``UnsavedKeys``), and these changes are tried again with each save.
///
/// The closure that saves makes all changes or none: in one transaction, or in an `AtomicFile`. Then a process that dies leaves the
/// old state or the new one. `CofferSQLite` has an initializer for databases.
///
/// For example:
///
///     let autosave = Autosave<Int, Expense> { expenses, _ in try store.write(expenses) }
///     await autosave.change(expense, for: expense.id)     // saved in half a second
///     try await autosave.saveNow()                        // the app goes to the background
///
/// While changes wait, the autosave keeps itself alive, and saves them even if the app has released it.
///
/// Cost: the save itself, on a task of its own. Memory: one change for each key that has changed since the last save.
public actor Autosave<Key: Hashable & Sendable, Change: Sendable> {
  /// Saves changes: all of them or, if it throws, none. If it throws ``UnsavedChanges``, all but those.
  ///
  /// - Parameter progress: takes the number of changes that have been written.
  public typealias Save = @Sendable (_ changes: [Change], _ progress: @Sendable (Int) -> Void) async throws -> Void

  private let options: AutosaveOptions
  private let save: Save
  private let broadcast = AutosaveStates()
  /// The time since this autosave was created.
  private let now: @Sendable () -> Duration
  private let sleep: @Sendable (Duration) async throws -> Void

  private var pending = PendingChanges<Key, Change>()
  private var firstChange: Duration?
  private var lastChange = Duration.zero
  private var failures = 0
  /// The time for another attempt, after a failure.
  private var retryTime: Duration?
  /// True if the last save has failed for some changes only. Then new ones don't wait for `retryTime`.
  private var hasFailedPartly = false
  private var running: Task<Void, any Error>?
  /// The keys that were discarded since the running save began.
  private var discarded: Set<Key> = []
  private var timer: Task<Void, Never>?
  private var hasEnded = false

  /// - Parameters:
  ///   - options: the pauses.
  ///   - clock: measures them.
  ///   - save: saves changes. It is never called twice at the same time.
  public init(
    options: AutosaveOptions = AutosaveOptions(), clock: some Clock<Duration> = ContinuousClock(), save: @escaping Save
  ) {
    self.options = options
    self.save = save
    let start = clock.now
    now = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }
  }

  deinit { broadcast.finish() }

  /// The current state, and those that follow, until ``end()`` or until the autosave is released.
  ///
  /// A reader that is slow misses states, but never the newest.
  public nonisolated var states: AsyncStream<AutosaveState> { broadcast.stream() }

  /// The number of changes that wait, without those of a running save.
  public var pendingCount: Int { pending.count }

  /// Saves a change after the pause, instead of an earlier one of that key that still waits.
  ///
  /// Must not be called after ``end()``.
  public func change(_ change: Change, for key: Key) { self.change([(key, change)]) }

  /// Saves many changes after the pause, in one save.
  public func change(_ changes: some Sequence<(Key, Change)> & Sendable) {
    precondition(!hasEnded, "a change after the end would be lost")
    for (key, change) in changes { pending.add(change, for: key) }
    guard pending.count > 0 else { return }
    lastChange = now()
    // The timer may sleep until the next attempt for a change that couldn't be saved.
    if firstChange == nil, hasFailedPartly { stopTimer() }
    firstChange = firstChange ?? lastChange
    if running == nil, failures == 0 { broadcast.send(.waiting(changes: pending.count)) }
    startTimer()
  }

  /// Forgets the change of a key: one that can never be saved, for example. A save that has begun may still write it, but no
  /// later one does.
  public func discard(_ key: Key) {
    pending.remove(key)
    if running != nil {
      discarded.insert(key)
    } else if pending.count == 0 {
      (firstChange, retryTime, failures) = (nil, nil, 0)
      stopTimer()
      broadcast.send(.saved)
    } else if failures == 0 {
      broadcast.send(.waiting(changes: pending.count))
    }
  }

  /// Saves all changes now.
  ///
  /// - Throws: the error of the save. The changes wait for the next attempt.
  public func saveNow() async throws {
    // It may lack the newest changes. If it fails, the next save has its changes, too.
    if let running { _ = await running.result }
    if let save = running ?? start() { try await save.value }
  }

  /// Saves all changes, and ends all ``states``.
  ///
  /// - Throws: the error of the save. Then it has not ended, and the changes wait for the next attempt.
  public func end() async throws {
    while running != nil || pending.count > 0 { try await saveNow() }
    hasEnded = true
    broadcast.send(.ended)
    broadcast.finish()
  }

  // MARK: Timing

  /// The time of the next save.
  private var deadline: Duration? {
    let change = firstChange.map { min(lastChange + options.delay, $0 + options.longestDelay) }
    guard let retryTime else { return change }
    return hasFailedPartly ? min(change ?? retryTime, retryTime) : max(change ?? retryTime, retryTime)
  }

  /// Starts the timer, unless it runs: it looks for a later deadline when it wakes up. ``stopTimer()`` precedes an earlier one.
  private func startTimer() {
    guard timer == nil, running == nil else { return }
    timer = Task { [sleep] in
      while let pause = pause() {
        do { try await sleep(pause) } catch { return }
      }
    }
  }

  /// Stops the timer: the next deadline may be earlier than the one for which it sleeps.
  private func stopTimer() {
    timer?.cancel()
    timer = nil
  }

  /// Returns how long the timer must sleep, or `nil` if it has ended.
  private func pause() -> Duration? {
    // After `stopTimer`, another one may run.
    guard !Task.isCancelled, let deadline else { return nil }
    let pause = deadline - now()
    if pause > .zero { return pause }
    _ = start()
    return nil
  }

  // MARK: Saving

  /// Starts a save, and returns it, or `nil` if there is nothing to save.
  private func start() -> Task<Void, any Error>? {
    guard pending.count > 0 else { return nil }
    stopTimer()
    let batch = pending
    (pending, discarded, firstChange, retryTime) = (PendingChanges(), [], nil, nil)
    broadcast.send(.saving(done: 0, of: batch.count))
    let task = Task { [save, broadcast] in
      let changes = batch.changes
      do {
        try await save(changes) { broadcast.send(.saving(done: $0, of: changes.count)) }
        finish(batch, error: nil)
      } catch let error as UnsavedChanges {
        let (unsaved, keys) = batch.keeping(error.errors)
        finish(unsaved, error: keys, isPart: true)
        if let keys { throw keys }
      } catch {
        finish(batch, error: error)
        throw error
      }
    }
    running = task
    return task
  }

  private func finish(_ batch: PendingChanges<Key, Change>, error: (any Error)?, isPart: Bool = false) {
    running = nil
    var unsaved = error == nil ? PendingChanges() : batch
    for key in discarded { unsaved.remove(key) }
    if let error, unsaved.count > 0 {
      failures += 1
      let pause = options.retryDelay(after: failures)
      unsaved.add(pending)
      pending = unsaved
      retryTime = now() + pause
      hasFailedPartly = isPart
      broadcast.send(.failed(error, failures: failures, retryIn: pause))
    } else {
      failures = 0
      broadcast.send(pending.count == 0 ? .saved : .waiting(changes: pending.count))
    }
    if pending.count > 0 { startTimer() }
  }
}

/// When an ``Autosave`` saves, and how it repeats a save that has failed.
public struct AutosaveOptions: Sendable {
  /// The pause after a change before it is saved. Each further change begins it anew.
  public var delay = Duration.milliseconds(500)
  /// The longest time that a change waits while others follow it.
  public var longestDelay = Duration.seconds(5)
  /// The pause after a failed save. It doubles with each further failure.
  public var retryDelay = Duration.seconds(1)
  /// The longest such pause.
  public var longestRetryDelay = Duration.seconds(60)

  public init() {}

  /// The pause after this many failures in a row.
  func retryDelay(after failures: Int) -> Duration {
    min(longestRetryDelay, retryDelay * (1 << min(failures - 1, 30)))
  }
}

/// What an ``Autosave`` is doing.
public enum AutosaveState: Sendable {
  /// All changes are saved.
  case saved
  /// `changes` changes wait.
  case waiting(changes: Int)
  /// A save has written `done` of its changes. None of them takes effect before it ends.
  case saving(done: Int, of: Int)
  /// A save has failed, or some of its changes (``UnsavedKeys``). They wait, and are saved again after a pause.
  case failed(any Error, failures: Int, retryIn: Duration)
  /// ``Autosave/end()`` has saved all changes.
  case ended
}

/// Sends states to all who listen. The closures of a save call it from other threads.
final class AutosaveStates: Sendable {
  private struct Listeners: Sendable {
    var current = AutosaveState.saved
    var continuations: [Int: AsyncStream<AutosaveState>.Continuation] = [:]
    var count = 0
  }

  private let listeners = Mutex(Listeners())

  func send(_ state: AutosaveState) {
    listeners.withLock { listeners in
      listeners.current = state
      for continuation in listeners.continuations.values { continuation.yield(state) }
    }
  }

  /// Ends all sequences.
  func finish() {
    let continuations = listeners.withLock { listeners in
      defer { listeners.continuations = [:] }
      return Array(listeners.continuations.values)
    }
    // This calls `remove`.
    for continuation in continuations { continuation.finish() }
  }

  /// Returns the current state and those that follow. A listener who is slow misses states, but never the newest.
  func stream() -> AsyncStream<AutosaveState> {
    let (stream, continuation) = AsyncStream.makeStream(of: AutosaveState.self, bufferingPolicy: .bufferingNewest(16))
    listeners.withLock { listeners in
      continuation.yield(listeners.current)
      if case .ended = listeners.current { return continuation.finish() }
      let number = listeners.count
      listeners.count += 1
      listeners.continuations[number] = continuation
      continuation.onTermination = { [weak self] _ in self?.remove(number) }
    }
    return stream
  }

  private func remove(_ number: Int) {
    // The continuation is released outside of the lock: releasing it may end up here.
    _ = listeners.withLock { $0.continuations.removeValue(forKey: number) }
  }
}

/// Changes that wait for a save, one for each key, in the order in which the keys were first changed.
struct PendingChanges<Key: Hashable & Sendable, Change: Sendable>: Sendable {
  private var places: [Key: Int] = [:]
  /// `nil` where a change was discarded.
  private var list: [(key: Key, change: Change)?] = []

  var count: Int { places.count }
  var changes: [Change] { list.compactMap { $0?.change } }

  /// Adds a change. It takes the place of an earlier one of that key.
  mutating func add(_ change: Change, for key: Key) {
    if let place = places[key] {
      list[place] = (key, change)
    } else {
      places[key] = list.count
      list.append((key, change))
    }
  }

  /// Returns the changes with these indices in ``changes``, and the error that names their keys.
  func keeping(_ errors: [Int: any Error]) -> (PendingChanges, UnsavedKeys<Key>?) {
    var kept = PendingChanges()
    var named: [(Key, any Error)] = []
    for (index, entry) in list.compactMap(\.self).enumerated() {
      guard let error = errors[index] else { continue }
      kept.add(entry.change, for: entry.key)
      named.append((entry.key, error))
    }
    return (kept, named.isEmpty ? nil : UnsavedKeys(errors: named))
  }

  mutating func remove(_ key: Key) {
    if let place = places.removeValue(forKey: key) { list[place] = nil }
    if places.isEmpty { list = [] }
  }

  /// Adds changes that were made later.
  mutating func add(_ later: PendingChanges) { for case let entry? in later.list { add(entry.change, for: entry.key) } }
}

/// Thrown by the closure of an ``Autosave`` that has saved all changes but these.
public struct UnsavedChanges: Error {
  /// The reasons, by the change's index.
  public let errors: [Int: any Error]

  public init(errors: [Int: any Error]) { self.errors = errors }
}

/// The keys of changes that an ``Autosave`` couldn't save, in their order. All others are saved.
///
/// They wait for the next attempts, unless the app corrects them with another change, or gives them up with
/// ``Autosave/discard(_:)``.
public struct UnsavedKeys<Key: Hashable & Sendable>: Error, CustomStringConvertible {
  public let errors: [(key: Key, error: any Error)]

  init(errors: [(Key, any Error)]) { self.errors = errors.map { (key: $0.0, error: $0.1) } }

  public var description: String { errors.map { "can't save \($0.key): \($0.error)" }.joined(separator: "; ") }
}
