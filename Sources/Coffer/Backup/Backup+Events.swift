public import ByteStreams
public import JSONEvents

extension Backup {
  /// Reads the whole backup as strict JSON, event by event. It runs on its own thread, so you can await it anywhere.
  ///
  /// JSON Lines are read as an array of their values.
  ///
  /// Time: one pass. Memory: about two chunks of 64 KiB, or a few times the longest string; for JSON Lines, a batch of lines of 1
  /// MiB in total.
  ///
  /// - Parameters:
  ///   - limits: the maximum depth, text and number sizes.
  ///   - execution: only its cancellation and progress are used.
  ///   - body: receives the events in order, a run of them at a time. An error it throws stops the reading.
  /// - Throws: `CofferError`, for malformed JSON after delivering all events before it; `CancellationError`; the errors of `body`.
  public func events(
    limits: ReaderLimits = ReaderLimits(), execution: Execution = Execution(),
    _ body: @escaping @Sendable (borrowing EventRun) throws -> Void
  ) async throws {
    try await read(execution) { [syntax] reading, cancellation in
      var execution = execution
      execution.jobs = 1
      execution.cancellation = cancellation
      var options = PassOptions(execution, limits: limits, slices: nil)
      options.syntax = syntax
      var pass = DocumentPass(
        try reading.document(execution), for: EventConsumer(body: body), options: options)
      try pass.run()
    }
  }
}

/// Passes the events on.
private struct EventConsumer: DocumentConsumer {
  let body: (borrowing EventRun) throws -> Void

  func consume(_ batch: EventBatch, lines: LineCursor) throws { try body(EventRun(batch)) }

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> NoWorker)? { nil }

  var workerContext: Void { () }

  func merge(_ partial: Void, of slice: Slice) {}

  func finish() {}

  /// Nothing is sliced.
  struct NoWorker: SliceWorker {
    func work(on slice: Slice, workerContext: Void) -> Void? { nil }
  }
}
