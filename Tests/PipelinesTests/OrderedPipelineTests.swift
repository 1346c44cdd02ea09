import Pipelines
import Synchronization
import TestSupport
import Testing

@Suite struct OrderedPipelineTests {
  /// Squares its inputs, and counts them.
  private struct Square {
    let log: Log
    let delay: (@Sendable (Int) -> Int)?

    func process(_ input: Int) -> Int {
      log.started.add(1, ordering: .relaxed)
      if let delay {
        // Work of varying length, so that results arrive out of order.
        var sum = 0
        for step in 0..<delay(input) { sum &+= step ^ input }
        if sum == .min { log.started.add(1, ordering: .relaxed) }
      }
      return input * input
    }
  }

  private final class Log: Sendable {
    let started = Atomic(0)
    let workers = Atomic(0)
  }

  private struct Failure: Error, Equatable { let input: Int }

  @Test(arguments: [1, 2, 3, 8]) func `results come in the order of their inputs`(jobs: Int) throws {
    var inputs = (0..<2000).makeIterator()
    let log = Log()
    var results: [Int] = []
    let rest = try OrderedPipeline(jobs: jobs).run(
      next: { inputs.next() },
      makeWorker: { Square(log: log) { $0 % 7 * 3000 }.process },
      merge: { input, output in
        #expect(output == input * input)
        results.append(input)
        return .more
      })
    #expect(results == Array(0..<2000))
    #expect(rest == [])
    #expect(log.started.load(ordering: .relaxed) == 2000)
  }

  @Test(arguments: [1, 2, 3, 8]) func `no more inputs are in progress than the capacity`(jobs: Int) throws {
    let pipeline = OrderedPipeline(jobs: jobs)
    var asked = 0
    var merged = 0
    _ = try pipeline.run(
      next: {
        asked += 1
        #expect(asked - merged <= pipeline.capacity)
        return asked <= 500 ? asked : nil
      },
      makeWorker: { Square(log: Log(), delay: nil).process },
      merge: { _, _ in
        merged += 1
        return .more
      })
    #expect(merged == 500)
  }

  @Test(arguments: [1, 2, 3, 8]) func `stopping returns the inputs that were not merged`(jobs: Int) throws {
    var inputs = (0..<1000).makeIterator()
    var last = -1
    let rest = try OrderedPipeline(jobs: jobs).run(
      next: { inputs.next() }, makeWorker: { Square(log: Log(), delay: nil).process },
      merge: { input, _ in
        last = input
        return input == 37 ? .stop : .more
      })
    #expect(last == 37)
    #expect(rest == Array(37..<37 + rest.count))
    #expect(inputs.next() == 37 + rest.count, "every requested input is either merged or returned")
  }

  @Test(arguments: [1, 2, 3, 8]) func `an error of the inputs is thrown after all results before it`(jobs: Int) {
    var asked = 0
    var merged: [Int] = []
    #expect(throws: Failure(input: 50)) {
      _ = try OrderedPipeline(jobs: jobs).run(
        next: {
          if asked == 50 { throw Failure(input: 50) }
          asked += 1
          return asked
        },
        makeWorker: { Square(log: Log()) { _ in 20_000 }.process },
        merge: { input, _ in
          merged.append(input)
          return .more
        })
    }
    #expect(merged == Array(1...50))
  }

  @Test(arguments: [1, 2, 8]) func `an error of the merge ends the pipeline`(jobs: Int) {
    var asked = 0
    #expect(throws: Failure(input: 9)) {
      _ = try OrderedPipeline(jobs: jobs).run(
        next: {
          asked += 1
          return asked
        },
        makeWorker: { Square(log: Log(), delay: nil).process },
        merge: { input, _ in
          if input == 9 { throw Failure(input: input) }
          return .more
        })
    }
    #expect(asked <= 9 + OrderedPipeline(jobs: jobs).capacity)
  }

  @Test func `each thread has at most one worker`() throws {
    let log = Log()
    var inputs = (0..<300).makeIterator()
    _ = try OrderedPipeline(jobs: 4).run(
      next: { inputs.next() },
      makeWorker: {
        log.workers.add(1, ordering: .relaxed)
        return Square(log: log) { _ in 5000 }.process
      },
      merge: { _, _ in .more })
    #expect(1...4 ~= log.workers.load(ordering: .relaxed))
  }

  @Test func `a pipeline without inputs has no results`() throws {
    let rest = try OrderedPipeline(jobs: 3).run(
      next: { nil as Int? }, makeWorker: { Square(log: Log(), delay: nil).process },
      merge: { _, _ in
        Issue.record("nothing to merge")
        return .more
      })
    #expect(rest == [])
  }
}
