public import ByteStreams
public import JSONEvents

extension Backup {
  /// Reads the backup to its end, event by event, strictly; on a thread of its own, so that it may be awaited anywhere.
  ///
  /// JSON Lines are the array of their values.
  ///
  /// Time: one pass. Memory: about two chunks of 64 KiB, or a few times the longest string; of JSON Lines, some lines of 1 MiB together.
  ///
  /// - Parameters:
  ///   - limits: the largest depth, text and number that are accepted.
  ///   - execution: only its cancellation and progress are used.
  ///   - body: receives the events in order, batch by batch, each valid until it returns; what it throws ends the reading.
  /// - Throws: `JSONReadError` where the document is malformed, after the last event before that; `ByteStreamError`; `CancellationError`; what `body` throws.
  public func events(
    limits: ReaderLimits = ReaderLimits(), execution: Execution = Execution(),
    _ body: @escaping @Sendable (EventBatch) throws -> Void
  ) async throws {
    try await read(cancellation: execution.cancellation) { [syntax] reading, cancellation in
      var options = PassOptions(Execution(jobs: 1))
      options.syntax = syntax
      options.limits = limits
      options.slices = nil
      options.execution.cancellation = cancellation
      var pass = DocumentPass(
        try reading.document(progress: execution.progress), for: EventConsumer(body: body), options: options)
      try pass.run()
    }
  }
}

/// Hands the events on.
private struct EventConsumer: DocumentConsumer {
  let body: (EventBatch) throws -> Void

  func consume(_ batch: EventBatch, lines: LineCursor) throws { try body(batch) }

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> NoWorker)? { nil }

  var workerContext: Void { () }

  func merge(_ partial: Void, of slice: Slice) {}

  func finish() {}

  /// Nothing is sliced.
  struct NoWorker: SliceWorker {
    func work(on slice: Slice, workerContext: Void) -> Void? { nil }
  }
}
