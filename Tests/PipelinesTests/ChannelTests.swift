import Pipelines
import Testing

@Suite(.timeLimit(.minutes(10))) struct ChannelTests {
  private struct Broken: Error {}

  @Test(arguments: [1, 2, 100]) func `a task receives everything from a thread in order`(capacity: Int) async throws {
    let channel = Channel<Int>(capacity: capacity)
    try BlockingWork.start {
      for number in 0..<5000 where !channel.sendWaiting(number) { return }
      channel.finish()
    }
    var received: [Int] = []
    while let number = try await channel.receive() { received.append(number) }
    #expect(received == Array(0..<5000))
    #expect(try await channel.receive() == nil)
  }

  @Test(arguments: [1, 2, 100]) func `a thread receives everything from a task in order`(capacity: Int) async throws {
    let channel = Channel<Int>(capacity: capacity)
    let task = Task {
      for number in 0..<5000 { _ = await channel.send(number) }
      channel.finish()
    }
    let received = try await BlockingWork.run(onCancel: {}) {
      var received: [Int] = []
      while let number = try channel.receiveWaiting() { received.append(number) }
      return received
    }
    #expect(received == Array(0..<5000))
    await task.value
  }

  @Test func `elements before an error are received`() async throws {
    let channel = Channel<Int>(capacity: 2)
    #expect(await channel.send(1))
    channel.finish(.failure(Broken()))
    #expect(try await channel.receive() == 1)
    await #expect(throws: Broken.self) { try await channel.receive() }
  }

  @Test func `closing a channel wakes all waiting senders and receivers`() async throws {
    let empty = Channel<Int>(capacity: 1)
    let receiver = Task { try await empty.receive() }
    let full = Channel<Int>(capacity: 1)
    #expect(await full.send(1))
    let sender = Task { await full.send(2) }
    let waiting = Task { try await BlockingWork.run(onCancel: {}) { full.sendWaiting(3) } }
    empty.close()
    full.close()
    await #expect(throws: CancellationError.self) { try await receiver.value }
    #expect(await sender.value == false)
    #expect(try await waiting.value == false)
    await #expect(throws: CancellationError.self) { try await full.receive() }
  }

  @Test func `cancelling a task ends its blocking work`() async throws {
    let channel = Channel<Int>(capacity: 1)
    let task = Task { try await BlockingWork.run(onCancel: { channel.close() }) { try channel.receiveWaiting() } }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
