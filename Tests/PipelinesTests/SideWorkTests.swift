import Pipelines
import Testing

@Suite(.timeLimit(.minutes(10))) struct SideWorkTests {
  private struct Broken: Error, Equatable { let side: String }

  @Test func `both sides run at the same time`() throws {
    let toSide = Channel<Int>(capacity: 1)
    let toCaller = Channel<Int>(capacity: 1)
    let work = SideWork { try toSide.receiveWaiting().map { toCaller.sendWaiting($0 + 1) } }
    #expect(toSide.sendWaiting(1))
    #expect(try toCaller.receiveWaiting() == 2)
    #expect(try work.result().get() == true)
  }

  @Test func `an error of the work is its result`() {
    let work = SideWork { throw Broken(side: "work") }
    #expect(throws: Broken(side: "work")) { try work.result().get() }
  }

  @Test(arguments: [1, 4]) func `a consumer gets everything in order`(capacity: Int) throws {
    let both = try Channel<Int>(capacity: capacity).run { send in
      for number in 0..<5000 { try send(number) }
      return "sent"
    } consume: { next in
      var received: [Int] = []
      while let number = try next() { received.append(number) }
      return received
    }
    #expect(both?.produced == "sent")
    #expect(both?.consumed == Array(0..<5000))
  }

  @Test func `a failure of the consumer ends the producer and is thrown`() {
    #expect(throws: Broken(side: "consumer")) {
      try Channel<Int>(capacity: 1).run { send in
        while true { try send(0) }
      } consume: { next in
        _ = try next()
        throw Broken(side: "consumer")
      }
    }
  }

  @Test func `a failure of the producer is thrown even if the consumer catches it`() {
    for catches in [false, true] {
      #expect(throws: Broken(side: "producer")) {
        try Channel<Int>(capacity: 1).run { send in
          try send(0)
          throw Broken(side: "producer")
        } consume: { next in
          do {
            while try next() != nil {}
            Issue.record("the consumer mistakes a failure for the end")
          } catch {
            if !catches { throw error }
          }
        }
      }
    }
  }
}
