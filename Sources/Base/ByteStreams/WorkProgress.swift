import Platform
import Synchronization

/// How far a task has come. Any thread may ask while the task runs.
///
/// For example:
///
///     let progress = WorkProgress()
///     var options = ValidationOptions(now: now)
///     options.execution.progress = progress
///     async let report = backup.validate(options: options)
///     for await snapshot in progress.snapshots { show(snapshot.fraction, snapshot.records, snapshot.message) }
///     print(try await report.isValid)
///
/// Use one for each task. The asynchronous methods of a backup call ``finish()``; after the work of a type without them, such as a
/// `Validator`, call it yourself.
///
/// Cost: a lock for each piece and slice of 64 KiB or more, never for a record.
public final class WorkProgress: Sendable {
  /// The numbers at one moment.
  public struct Snapshot: Sendable, Hashable {
    /// The current part of the work, such as `checking references`, if the numbers alone don't say it.
    public var message: String?
    /// The number of bytes that were read: of the input as it is stored, or of an exported document. Bytes that are read twice
    /// count twice.
    public var bytesRead = 0
    /// The number of bytes to read, or `nil` if it is unknown.
    public var byteCount: Int?
    /// The number of records that are done.
    public var records = 0
    /// The number of all records, or `nil` if it is unknown: only an export knows it before the end.
    public var recordCount: Int?
    /// The current speed: what happened a few seconds ago counts little. `nil` at the start.
    public var bytesPerSecond: Double?

    public init() {}

    /// The part of the bytes that was read, or of the records that are done, from 0 to 1; `nil` if neither number is known.
    public var fraction: Double? {
      guard let all = byteCount ?? recordCount else { return nil }
      let done = byteCount == nil ? records : bytesRead
      return all > 0 ? min(1, Double(done) / Double(all)) : 1
    }

    /// The time to read the rest at the current speed, or `nil` if it is unknown.
    public var timeLeft: Duration? {
      guard let fraction, fraction > 0, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
      let left = byteCount.map { Double(max(0, $0 - bytesRead)) } ?? Double(bytesRead) * (1 - fraction) / fraction
      let seconds = left / bytesPerSecond
      // A task that has stalled has no end.
      return seconds < 1e6 ? .seconds(seconds) : nil
    }
  }

  private struct State {
    var snapshot = Snapshot()
    /// True if `byteCount` is that of all inputs, so that one of them doesn't change it.
    var isCountFixed = false
    var rate = RateEstimate(from: .now)
    var isFinished = false
    var listeners: [Int: AsyncStream<Snapshot>.Continuation] = [:]
    var nextListener = 0
    var lastShown: ContinuousClock.Instant?

    /// The numbers, with the speed at this moment.
    mutating func current(at now: ContinuousClock.Instant) -> Snapshot {
      rate.take(snapshot.bytesRead, at: now)
      snapshot.bytesPerSecond = rate.bytesPerSecond
      return snapshot
    }
  }

  private let state = Mutex(State())
  /// Counts the same bytes and records.
  private let outer: WorkProgress?
  /// How often ``snapshots`` has new numbers.
  private static let interval = Duration.milliseconds(100)

  public init() { outer = nil }

  /// - Parameter outer: the progress of the whole task, of which this is a part.
  package init(within outer: WorkProgress?) { self.outer = outer }

  /// Ends ``snapshots``, because there will be no more numbers.
  deinit { finish() }

  /// The current numbers.
  public var snapshot: Snapshot { state.withLock { $0.current(at: .now) } }

  /// The numbers now, whenever they change (at most ten times a second), and at the end. It ends with the task.
  public var snapshots: AsyncStream<Snapshot> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { listener in
      let number = state.withLock { state -> Int? in
        listener.yield(state.current(at: .now))
        if state.isFinished { return nil }
        defer { state.nextListener += 1 }
        state.listeners[state.nextListener] = listener
        return state.nextListener
      }
      guard let number else { return listener.finish() }
      listener.onTermination = { [weak self] _ in _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) } }
    }
  }

  /// Ends ``snapshots``: the task is over.
  public func finish() {
    let listeners = state.withLock { state in
      let snapshot = state.current(at: .now)
      for listener in state.listeners.values { listener.yield(snapshot) }
      state.isFinished = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    // Outside of the lock, because a listener that ends takes it.
    for listener in listeners { listener.finish() }
  }

  // MARK: Reporting progress

  /// Starts a part of the work whose numbers are its own.
  ///
  /// - Parameter byteCount: the bytes to read in all its inputs, or `nil` if their number is unknown. A sum that has overflowed
  ///   is negative, and unknown, too.
  package func begin(_ message: String? = nil, byteCount: Int?) {
    outer?.begin(message, byteCount: byteCount)
    change(isUrgent: true) { state in
      state.snapshot = Snapshot()
      state.snapshot.message = message
      state.snapshot.byteCount = byteCount.flatMap { $0 < 0 ? nil : $0 }
      state.isCountFixed = true
      state.rate = RateEstimate(from: .now)
    }
  }

  /// Sets the number of bytes to read, unless it is known or the inputs are parts of something larger.
  package func expect(_ byteCount: Int) {
    outer?.expect(byteCount)
    change { state in
      if state.isCountFixed || byteCount < 0 { return }
      state.snapshot.byteCount = byteCount
      state.isCountFixed = true
    }
  }

  /// Sets the number of all records.
  package func expect(records: Int) {
    outer?.expect(records: records)
    change { $0.snapshot.recordCount = records }
  }

  /// Says what happens now.
  package func say(_ message: String?) {
    outer?.say(message)
    change(isUrgent: true) { $0.snapshot.message = message }
  }

  /// Adds to the number of bytes read.
  package func add(bytes: Int) {
    outer?.add(bytes: bytes)
    change { $0.snapshot.bytesRead &+= bytes }
  }

  /// Adds to the number of records that are done.
  package func add(records: Int) {
    outer?.add(records: records)
    change { $0.snapshot.records &+= records }
  }

  private func change(isUrgent: Bool = false, _ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      if state.listeners.isEmpty { return }
      let now = ContinuousClock.now
      if !isUrgent, let last = state.lastShown, now - last < Self.interval { return }
      state.lastShown = now
      let snapshot = state.current(at: now)
      for listener in state.listeners.values { listener.yield(snapshot) }
    }
  }
}

extension WorkProgress? {
  /// Says what happens while `body` runs.
  package func saying<R, E: Error>(_ message: String, _ body: () throws(E) -> R) throws(E) -> R {
    let before = self?.snapshot.message
    self?.say(message)
    defer { self?.say(before) }
    return try body()
  }
}

/// A moving mean of the bytes per second. At the start, it is the plain mean.
///
/// Bytes and seconds lose weight at the same pace: after ``memory``, they count about a third.
package struct RateEstimate {
  private var weighedBytes = 0.0
  private var weighedSeconds = 0.0
  private var last: (bytes: Int, time: ContinuousClock.Instant)
  /// How long the past counts, in seconds.
  private static let memory = 5.0
  /// The shortest time that says something, in seconds.
  private static let minimum = 0.2

  package init(from time: ContinuousClock.Instant) { last = (0, time) }

  /// - Parameter bytes: their number so far.
  package mutating func take(_ bytes: Int, at time: ContinuousClock.Instant) {
    let seconds = (time - last.time) / .seconds(1)
    guard seconds > 0 else { return }
    let weight = exp(-seconds / Self.memory)
    weighedBytes = weighedBytes * weight + Double(bytes - last.bytes)
    weighedSeconds = weighedSeconds * weight + seconds
    last = (bytes, time)
  }

  /// `nil` until there is something to estimate from.
  package var bytesPerSecond: Double? { weighedSeconds < Self.minimum ? nil : max(0, weighedBytes / weighedSeconds) }
}
