import Coffer
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite struct AutosaveTests {
  /// Takes saves, and fails some.
  private final class Store: Sendable {
    struct Failure: Error {}

    private let state = Mutex((saves: [[String]](), failures: 0))

    init(failures: Int = 0) { state.withLock { $0.failures = failures } }

    var saves: [[String]] { state.withLock(\.saves) }

    func save(_ changes: [String], _ progress: (Int) -> Void) throws {
      for index in changes.indices { progress(index + 1) }
      try state.withLock { state in
        state.failures -= 1
        if state.failures >= 0 { throw Failure() }
        state.saves.append(changes)
      }
    }
  }

  /// Keeps the values that are saved, and notices saves at the same time.
  private actor Values {
    private(set) var values: [Int: Int] = [:]
    private var isOpen = false

    func save(_ changes: [(Int, Int)]) async {
      #expect(!isOpen)
      isOpen = true
      for _ in 0..<3 { await Task.yield() }
      for (key, value) in changes { values[key] = value }
      isOpen = false
    }
  }

  private let clock = ManualClock()

  private func autosave(_ store: Store, _ options: AutosaveOptions = AutosaveOptions()) -> Autosave<Int, String> {
    Autosave(options: options, clock: clock) { changes, progress in try store.save(changes, progress) }
  }

  /// Returns the names of states, up to one.
  private func states(_ stream: AsyncStream<AutosaveState>, until last: String) async -> [String] {
    var names: [String] = []
    for await state in stream {
      switch state {
      case .saved: names.append("saved")
      case .waiting(let count): names.append("waiting \(count)")
      case .saving(let done, let count): names.append("saving \(done)/\(count)")
      case .failed(_, let failures, let pause): names.append("failed \(failures), \(pause)")
      case .ended: names.append("ended")
      }
      if names.last == last { break }
    }
    return names
  }

  /// Returns once that many saves have ended.
  private func wait(for count: Int, in store: Store) async {
    while store.saves.count < count { await Task.yield() }
  }

  @Test func `changes are saved together half a second after the last one`() async {
    let store = Store()
    let autosave = autosave(store)
    await autosave.change("a", for: 1)
    await autosave.change("b", for: 2)
    await clock.advance(by: .milliseconds(499))
    await autosave.change("A", for: 1)
    #expect(store.saves == [])
    await clock.advance(by: .milliseconds(1))
    #expect(store.saves == [])
    await clock.advance(by: .milliseconds(499))
    await wait(for: 1, in: store)
    #expect(store.saves == [["A", "b"]])
  }

  @Test func `changes that go on and on are saved after the longest delay`() async {
    var options = AutosaveOptions()
    options.longestDelay = .seconds(2)
    let store = Store()
    let autosave = autosave(store, options)
    for number in 0..<5 {
      await autosave.change("\(number)", for: 1)
      await clock.advance(by: .milliseconds(400))
    }
    await wait(for: 1, in: store)
    #expect(store.saves == [["4"]])
  }

  @Test func `states tell what happens, record by record`() async throws {
    let autosave = autosave(Store())
    let stream = autosave.states
    await autosave.change([(1, "a"), (2, "b"), (3, "c")])
    try await autosave.end()
    #expect(
      await states(stream, until: "ended") == [
        "saved", "waiting 3", "saving 0/3", "saving 1/3", "saving 2/3", "saving 3/3", "saved", "ended",
      ])
    #expect(await states(autosave.states, until: "") == ["ended"])
  }

  @Test func `a save on request does not wait`() async throws {
    let store = Store()
    let autosave = autosave(store)
    await autosave.change("a", for: 1)
    try await autosave.saveNow()
    #expect(store.saves == [["a"]])
    try await autosave.saveNow()
    #expect(store.saves.count == 1)
  }

  @Test func `a failed save is repeated after growing pauses, with the changes since`() async {
    let store = Store(failures: 2)
    let autosave = autosave(store)
    let stream = autosave.states
    await autosave.change([(1, "a"), (2, "b")])
    await clock.advance(by: .milliseconds(500))
    #expect(await states(autosave.states, until: "failed 1, 1.0 seconds").last == "failed 1, 1.0 seconds")
    await autosave.change("B", for: 2)
    await autosave.change("c", for: 3)
    await clock.advance(by: .milliseconds(999))
    #expect(store.saves == [])
    // A retry would have taken them.
    #expect(await autosave.pendingCount == 3)
    await clock.advance(by: .milliseconds(1))
    #expect(await states(autosave.states, until: "failed 2, 2.0 seconds").last == "failed 2, 2.0 seconds")
    await clock.advance(by: .seconds(2))
    await wait(for: 1, in: store)
    #expect(store.saves == [["a", "B", "c"]])
    #expect(await states(stream, until: "failed 2, 2.0 seconds").contains("failed 1, 1.0 seconds"))
  }

  @Test func `after ending autosave has failed, it can be tried again`() async throws {
    let store = Store(failures: 1)
    let autosave = autosave(store)
    await autosave.change("a", for: 1)
    await #expect(throws: Store.Failure.self) { try await autosave.end() }
    await autosave.change("b", for: 2)
    try await autosave.end()
    #expect(store.saves == [["a", "b"]])
  }

  @Test func `a change that can't be saved can be discarded`() async throws {
    let store = Store(failures: 1)
    let autosave = autosave(store)
    await autosave.change([(1, "a"), (2, "b")])
    await #expect(throws: Store.Failure.self) { try await autosave.saveNow() }
    await autosave.discard(1)
    try await autosave.saveNow()
    #expect(store.saves == [["b"]])
    await autosave.change("c", for: 1)
    await autosave.discard(1)
    try await autosave.end()
    #expect(store.saves == [["b"]])
  }

  @Test func `new changes don't wait for one that can't be saved`() async throws {
    let store = Store()
    let autosave = Autosave<Int, String>(clock: clock) { changes, progress in
      let bad = changes.indices.filter { changes[$0] == "bad" }
      try store.save(changes.filter { $0 != "bad" }, progress)
      if !bad.isEmpty { throw UnsavedChanges(errors: Dictionary(uniqueKeysWithValues: bad.map { ($0, Store.Failure()) })) }
    }
    await autosave.change([(1, "a"), (2, "bad"), (3, "c")])
    await clock.advance(by: .milliseconds(500))
    _ = await states(autosave.states, until: "failed 1, 1.0 seconds")
    await autosave.change("d", for: 4)
    await clock.advance(by: .milliseconds(500))
    _ = await states(autosave.states, until: "failed 2, 2.0 seconds")
    #expect(store.saves == [["a", "c"], ["d"]])
    #expect(await autosave.pendingCount == 1)
    await clock.advance(by: .seconds(2))
    _ = await states(autosave.states, until: "failed 3, 4.0 seconds")
    await autosave.discard(2)
    try await autosave.end()
    #expect(store.saves == [["a", "c"], ["d"], []])
  }

  @Test func `after a successful request, changes don't wait for the retry`() async throws {
    let store = Store(failures: 1)
    var options = AutosaveOptions()
    options.retryDelay = .seconds(60)
    let autosave = autosave(store, options)
    await autosave.change("a", for: 1)
    await clock.advance(by: .milliseconds(500))
    _ = await states(autosave.states, until: "failed 1, 60.0 seconds")
    try await autosave.saveNow()
    await autosave.change("b", for: 1)
    await clock.advance(by: .milliseconds(500))
    await wait(for: 2, in: store)
    #expect(store.saves == [["a"], ["b"]])
  }

  @Test func `a change that is discarded while its save fails does not come back`() async throws {
    let (gate, opened) = AsyncStream.makeStream(of: Void.self)
    let store = Store(failures: 1)
    let autosave = Autosave<Int, String>(clock: clock) { changes, progress in
      for await _ in gate { break }
      try store.save(changes, progress)
    }
    await autosave.change([(1, "a"), (2, "b"), (3, "c")])
    let save = Task { try await autosave.saveNow() }
    _ = await states(autosave.states, until: "saving 0/3")
    await autosave.discard(1)
    await autosave.discard(2)
    await autosave.change("B", for: 2)
    opened.yield()
    await #expect(throws: Store.Failure.self) { try await save.value }
    opened.yield()
    try await autosave.end()
    #expect(store.saves == [["c", "B"]])
  }

  @Test func `an autosave that is released saves what waits, and ends its states`() async {
    let store = Store()
    var autosave: Autosave<Int, String>? = autosave(store)
    let stream = autosave!.states
    await autosave!.change("a", for: 1)
    autosave = nil
    await clock.advance(by: .milliseconds(500))
    #expect(await states(stream, until: "") == ["saved", "waiting 1", "saving 0/1", "saving 1/1", "saved"])
    #expect(store.saves == [["a"]])
  }

  @Test func `saves never overlap, and lose nothing`() async throws {
    let store = Values()
    let autosave = Autosave<Int, (Int, Int)>(clock: clock) { changes, _ in await store.save(changes) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          for value in 0..<100 {
            await autosave.change((worker, value), for: worker)
            if value % 7 == worker % 7 { try await autosave.saveNow() }
          }
          try await autosave.saveNow()
          #expect(await store.values[worker] == 99)
        }
      }
      try await group.waitForAll()
    }
    try await autosave.end()
    #expect(await store.values == Dictionary(uniqueKeysWithValues: (0..<8).map { ($0, 99) }))
  }

  @Test(arguments: 0..<8) func `a process that is killed at any time leaves a whole file`(number: Int) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("a.json").string
    let microseconds = number * number * 2500
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, microseconds = microseconds as Int] in
      Thread.detachNewThread {
        usleep(UInt32(microseconds))
        kill(getpid(), SIGKILL)
      }
      let autosave = Autosave<Int, Int> { changes, _ in
        let file = try AtomicFile(FilePath(path), existing: .replace)
        for _ in 0..<1000 { try Array(repeating: UInt8(changes[0]), count: 100).withUnsafeBytes { try file.write($0) } }
        try file.commit()
      }
      for number in 1... {
        await autosave.change(number % 256, for: 0)
        try await autosave.saveNow()
      }
    }
    guard let bytes = FileManager.default.contents(atPath: path) else { return }
    #expect(bytes.count == 100_000 && Set(bytes).count == 1)
  }

  @Test func `the pause after failures has a limit`() async throws {
    let store = Store(failures: 40)
    let autosave = autosave(store)
    await autosave.change("a", for: 1)
    for _ in 0..<40 {
      try? await autosave.saveNow()
    }
    #expect(await states(autosave.states, until: "failed 40, 60.0 seconds") == ["failed 40, 60.0 seconds"])
    try await autosave.end()
  }
}
