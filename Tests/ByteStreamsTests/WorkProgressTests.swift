import ByteStreams
import Testing

@Suite struct WorkProgressTests {
  private let progress = WorkProgress()

  private func snapshot(_ bytesRead: Int, of byteCount: Int?, at bytesPerSecond: Double? = nil) -> WorkProgress.Snapshot {
    var snapshot = WorkProgress.Snapshot()
    (snapshot.bytesRead, snapshot.byteCount, snapshot.bytesPerSecond) = (bytesRead, byteCount, bytesPerSecond)
    return snapshot
  }

  @Test func `the fraction is that of the bytes, and never more than all`() {
    #expect(snapshot(50, of: 100).fraction == 0.5)
    #expect(snapshot(101, of: 100).fraction == 1)
    #expect(snapshot(0, of: 0).fraction == 1)
    #expect(snapshot(50, of: nil).fraction == nil)
  }

  @Test func `the time left is that of the rest at the current speed`() {
    #expect(snapshot(50, of: 100, at: 25).timeLeft == .seconds(2))
    #expect(snapshot(150, of: 100, at: 25).timeLeft == .zero)
    #expect(snapshot(50, of: 100).timeLeft == nil)
    #expect(snapshot(50, of: nil, at: 25).timeLeft == nil)
    #expect(snapshot(50, of: 100, at: 0).timeLeft == nil)
    #expect(snapshot(0, of: .max, at: 1e-300).timeLeft == nil)
  }

  @Test func `the first expectation counts, and a new part has its own numbers`() {
    progress.expect(100)
    progress.expect(200)
    progress.add(bytes: 10)
    progress.add(records: 3)
    #expect(progress.snapshot.byteCount == 100)
    #expect(progress.snapshot.records == 3)
    progress.begin("packing", byteCount: nil)
    progress.expect(300)
    #expect(progress.snapshot.byteCount == nil)
    #expect(progress.snapshot.bytesRead == 0)
    #expect(progress.snapshot.records == 0)
    #expect(progress.snapshot.message == "packing")
  }

  @Test func `a sum of sizes that has overflowed is unknown`() {
    progress.begin(byteCount: Int.max &+ 1)
    #expect(progress.snapshot.byteCount == nil)
  }

  @Test func `the progress of a part counts for the whole, too`() {
    progress.begin(byteCount: 100)
    let part = WorkProgress(within: progress)
    part.expect(10)
    part.add(bytes: 10)
    part.add(records: 1)
    #expect(part.snapshot.byteCount == 10)
    #expect(progress.snapshot.byteCount == 100)
    #expect(progress.snapshot.bytesRead == 10)
    #expect(progress.snapshot.records == 1)
  }

  @Test func `a message is removed when its work ends or fails`() {
    progress.say("a.json (1 of 2)")
    #expect(throws: CofferError.self) {
      try Optional(progress).saying("checking references") {
        #expect(progress.snapshot.message == "checking references")
        throw CofferError(.noSpace, "")
      }
    }
    #expect(progress.snapshot.message == "a.json (1 of 2)")
  }

  // MARK: Snapshots

  @Test func `snapshots begin with the current numbers and end with the last ones`() async {
    progress.begin(byteCount: 100)
    progress.add(bytes: 40)
    let (snapshots, others) = (progress.snapshots, progress.snapshots)
    var fractions: [Double?] = []
    for await snapshot in snapshots {
      fractions.append(snapshot.fraction)
      if fractions.count == 1 {
        progress.add(bytes: 60)
        progress.finish()
      }
    }
    #expect(fractions.first == 0.4)
    #expect(fractions.last == 1)
    var last: WorkProgress.Snapshot?
    for await snapshot in others { last = snapshot }
    #expect(last?.bytesRead == 100)
  }

  @Test func `snapshots show a message at once`() async {
    var messages: [String?] = []
    for await snapshot in progress.snapshots {
      messages.append(snapshot.message)
      if messages.count == 1 { progress.say("checking references") } else { progress.finish() }
    }
    #expect(messages.prefix(2) == [nil, "checking references"])
  }

  @Test func `snapshots of a finished task are its last one`() async {
    progress.add(records: 7)
    progress.finish()
    var records: [Int] = []
    for await snapshot in progress.snapshots { records.append(snapshot.records) }
    #expect(records == [7])
  }

  @Test func `snapshots end when the progress is released unfinished`() async {
    var released: WorkProgress? = WorkProgress()
    released?.add(records: 1)
    let snapshots = released?.snapshots
    released = nil
    var count = 0
    if let snapshots { for await _ in snapshots { count += 1 } }
    #expect(count == 1)
  }

  @Test func `a cancelled task gets no more snapshots`() async {
    let task = Task { [progress] in for await _ in progress.snapshots {} }
    task.cancel()
    await task.value
    progress.add(bytes: 1)
    progress.finish()
  }

  // MARK: The speed

  private let start = ContinuousClock.now

  private func estimate(_ samples: [(seconds: Double, bytes: Int)]) -> Double? {
    var estimate = RateEstimate(from: start)
    for sample in samples { estimate.take(sample.bytes, at: start + .seconds(sample.seconds)) }
    return estimate.bytesPerSecond
  }

  private func isClose(_ rate: Double?, to expected: Double) -> Bool { rate.map { abs($0 - expected) < expected / 100 } ?? false }

  @Test func `at the start, the speed is the mean, as soon as there is one`() {
    #expect(estimate([]) == nil)
    #expect(estimate([(0.1, 1000)]) == nil)
    #expect(isClose(estimate([(1, 1000)]), to: 1000))
  }

  @Test func `a steady speed is that speed, whenever it is asked for`() {
    #expect(isClose(estimate((1...100).map { (Double($0) / 10, $0 * 100) }), to: 1000))
    #expect(isClose(estimate([(1, 1000), (1, 1000), (60, 60000)]), to: 1000))
  }

  @Test func `the speed follows a change within seconds`() throws {
    func states(_ count: Int, after seconds: Double, _ bytes: Int, each size: Int) -> [(seconds: Double, bytes: Int)] {
      (1...count).map { (seconds: seconds + Double($0) / 10, bytes: bytes + $0 * size) }
    }
    let steady = states(100, after: 0, 0, each: 100)
    let slow = states(150, after: 10, 10000, each: 10)
    let rate = try #require(estimate(steady + slow))
    #expect((100..<200).contains(rate))
    // The plain mean would be 460.
    let stalled = try #require(estimate(steady + [(40, 10000)]))
    #expect(stalled < 10)
  }
}
