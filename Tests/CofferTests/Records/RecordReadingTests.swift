import Foundation
import TestSupport
import Testing

@testable import Coffer

/// Threads, back-pressure, cancellation and sources of records.
@Suite(.timeLimit(.minutes(10))) struct RecordReadingTests {
  private static func smallSlices(jobs: Int = 3) -> RecordOptions {
    var options = RecordOptions()
    options.execution.jobs = jobs
    options.slices?.sliceSize = 64 << 10
    return options
  }

  @Test(arguments: [1, 2, 5000]) func `breaking out of the loop ends the threads`(count: Int) async throws {
    let trips = WatchedTrips()
    var read = 0
    for try await trip in trips.backup.records(Trip.self, at: "/trips", options: Self.smallSlices()) {
      read += trip.stops.count + 1
      if read == count { break }
    }
    #expect(read == count)
    try await trips.waitForEnd()
  }

  @Test func `a cancelled task throws an error and ends the threads`() async throws {
    let trips = WatchedTrips()
    let task = Task {
      var read = 0
      for try await _ in trips.backup.records(Trip.self, at: "/trips", options: Self.smallSlices()) {
        read += 1
        if read == 1000 { withUnsafeCurrentTask { $0?.cancel() } }
      }
      return read
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    try await trips.waitForEnd()
  }

  @Test func `an unused iterator starts nothing`() async throws {
    let trips = WatchedTrips()
    _ = trips.backup.records(Trip.self, at: "/trips").makeAsyncIterator()
    #expect(trips.bytesRead == 0)
  }

  @Test func `reading pauses for a slow consumer`() async throws {
    let trips = WatchedTrips()
    var iterator = trips.backup.records(Trip.self, at: "/trips", options: Self.smallSlices(jobs: 2)).makeAsyncIterator()
    _ = try await iterator.next()
    // At most the slices of the pipeline, two batches and the bytes being read are in memory, however long the consumer waits.
    for _ in 0..<200 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(trips.bytesRead < 20 * 64 << 10)
    #expect(try await iterator.next() != nil)
  }

  /// Memory holds the bytes that were read but not yet delivered.
  @Test func `the bytes read ahead are limited, whatever the size`() async throws {
    let trips = WatchedTrips(count: 200_000)
    var read = 0
    var most = 0
    for try await trip in trips.backup.records(Trip.self, at: "/trips", options: Self.smallSlices(jobs: 2)) {
      read += trip.id == 12_345_678 ? 1 : 0
      if read % 500 == 0 { most = max(most, trips.bytesRead - read * (WatchedTrips.trip.utf8.count + 1)) }
    }
    #expect(read == 200_001)
    #expect(most < 20 * 64 << 10)
  }

  // MARK: Streams

  @Test(arguments: [1, 3, 1000]) func `records are read from stream chunks of any size`(size: Int) async throws {
    let trips = Trip.made(300)
    let bytes = Array(try JSONEncoder().encode(trips))
    let chunks = AsyncStream<ArraySlice<UInt8>> { stream in
      for start in stride(from: 0, to: bytes.count, by: size) { stream.yield(bytes[start..<min(start + size, bytes.count)]) }
      stream.finish()
    }
    var read: [Trip] = []
    for try await trip in Backup(chunks: chunks).records(Trip.self, at: "", options: Self.smallSlices()) { read.append(trip) }
    #expect(read == trips)
  }

  @Test func `a stream of bytes can be read only once`() async throws {
    let trips = Trip.made(20)
    let bytes = Array(try JSONEncoder().encode(trips))
    let backup = Backup(
      bytes: AsyncStream { stream in
        for byte in bytes { stream.yield(byte) }
        stream.finish()
      }, named: "body")
    var read: [Trip] = []
    for try await trip in backup.records(Trip.self, at: "") { read.append(trip) }
    #expect(read == trips)
    let error = await #expect(throws: CofferError.self) { for try await _ in backup.records(Trip.self, at: "") {} }
    #expect(error?.code == .alreadyRead)
    #expect(error?.message == "body has already been read: a stream can be read only once")
  }

  @Test func `a failing stream is an error after the records before it`() async throws {
    struct Lost: Error {}
    let backup = Backup(
      chunks: AsyncThrowingStream<[UInt8], any Error> { stream in
        stream.yield(Array("[1,2,3,".utf8))
        stream.finish(throwing: Lost())
      })
    var read: [Int] = []
    let error = await #expect(throws: CofferError.self) {
      for try await number in backup.records(Int.self, at: "") { read.append(number) }
    }
    #expect(read == [1, 2, 3])
    #expect(error?.message == "cannot read stream: Lost()")
  }

  /// A stream that delivers nothing leaves no task or thread behind.
  @Test func `cancellation ends a task that waits for a stream`() async throws {
    let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
    let ended = AsyncStream<Void>.makeStream()
    continuation.onTermination = { _ in ended.continuation.finish() }
    continuation.yield(Array("[1,".utf8))
    let task = Task {
      for try await _ in Backup(chunks: stream).records(Int.self, at: "") {}
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    for await _ in ended.stream {}
  }

  // MARK: Memory

  // MARK: Compressed

  @Test func `compressed backups are detected by content`() async throws {
    let trips = Trip.made(500)
    var sink = MemorySink()
    _ = try Compressor().compress(MemorySource(try JSONEncoder().encode(trips)), to: &sink)
    let backup = Backup(bytes: sink.bytes)
    var read: [Trip] = []
    for try await trip in backup.records(Trip.self, at: "") { read.append(trip) }
    #expect(read == trips)
    let progress = WorkProgress()
    var options = ValidationOptions(now: Validating.now)
    options.execution.progress = progress
    let report = try await backup.validate(rules: .syntaxOnly(), options: options)
    #expect(report.isValid)
    #expect(progress.snapshot.bytesRead == sink.bytes.count)
  }

  // MARK: Validation

  @Test func `asynchronous validation gives the report and the progress`() async throws {
    let progress = WorkProgress()
    let text = #"{"cars": [], "expenses": [{"id": "x"}]}"#
    let rules = try RuleDocument(
      MemorySource(#"{"properties": {"expenses": {"items": {"properties": {"id": {"type": "integer"}}}}}}"#.utf8))
    var options = ValidationOptions(now: Validating.now)
    options.execution.progress = progress
    let report = try await Backup(bytes: Array(text.utf8), named: "a").validate(
      rules: .document(rules, name: "rules"), options: options)
    #expect(Validating.lines(report) == ["type /expenses/0/id"])
    #expect(report.file == "a")
    #expect(progress.snapshot.bytesRead == text.utf8.count)
    #expect(progress.snapshot.byteCount == text.utf8.count)
    #expect(progress.snapshot.records == report.records)
  }

  @Test func `the report has the error if a backup cannot be opened`() async throws {
    let report = try await Backup(path: "/no/such/file.json").validate(options: ValidationOptions(now: Validating.now))
    #expect(report.error?.code.rawValue == "not-found")
    #expect(!report.isValid)
  }

  @Test(arguments: [false, true]) func `a cancelled task or request ends a validation`(byTask: Bool) async throws {
    let cancellation = Cancellation()
    let progress = WorkProgress()
    var options = ValidationOptions(now: Validating.now)
    options.execution.cancellation = cancellation
    options.execution.progress = progress
    let trips = WatchedTrips(count: 100_000_000)
    let task = Task { [options] in try await trips.backup.validate(options: options) }
    // On a thread of its own: other tests may occupy those of tasks until the validation has ended.
    Thread.detachNewThread {
      while progress.snapshot.bytesRead < 1 << 20 { Thread.sleep(forTimeInterval: 0.001) }
      if byTask { task.cancel() } else { cancellation.request() }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(cancellation.isRequested == !byTask)
    try await trips.waitForEnd()
  }
}
