public import ByteStreams
public import JSONEvents
import Pipelines

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Backup {
  /// Returns the records of a collection of any size, in order, one at a time.
  ///
  /// For example:
  ///
  ///     for try await expense in Backup(path: "export.json").records(Expense.self, at: "/expenses") {
  ///       total += expense.amount
  ///     }
  ///
  /// Time: one pass over the document. Threads of the sequence's own decode records on all processors, and end with the loop.
  /// Memory: a few slices of about 1 MiB and their records (`Execution.jobs`), regardless of the document's size: the threads
  /// wait for a slow loop. An array inside more than two other containers can't be sliced; one thread decodes it record by
  /// record.
  ///
  /// The loop ends without an error only if the whole document is well formed, including the part after the collection. It throws
  /// - `CofferError` if the document is malformed, after the last record before the error,
  /// - `CofferError` with the code `decoding` for a record that can't be decoded, after the last one before it,
  /// - `CofferError` with the code `noSuchValue` or `notAnArray` if there is no such array,
  /// - `CofferError` if the bytes can't be read, and `CancellationError` if the task is cancelled.
  ///
  /// - Parameters:
  ///   - type: the type of the records.
  ///   - pointer: the JSON Pointer of an array: `/expenses`; empty for the root, and for JSON Lines.
  ///   - decoder: decodes each record separately, several at the same time, so its settings must not change meanwhile.
  ///   - options: threads and limits.
  public func records<Record: Decodable & Sendable>(
    _ type: Record.Type = Record.self, at pointer: String, decoder: JSONDecoder = JSONDecoder(),
    options: RecordOptions = RecordOptions()
  ) -> RecordSequence<Record> {
    RecordSequence(backup: self, pointer: pointer, decoder: decoder, options: options)
  }
}

/// The records of a backup's collection: see ``Backup/records(_:at:decoder:options:)``.
public struct RecordSequence<Record: Decodable & Sendable>: AsyncSequence, Sendable {
  let backup: Backup
  let pointer: String
  let decoder: JSONDecoder
  let options: RecordOptions

  public func makeAsyncIterator() -> Iterator { Iterator(state: .idle(self)) }

  public struct Iterator: AsyncIteratorProtocol {
    enum State {
      case idle(RecordSequence)
      case reading(RecordReading<Record>)
      case ended
    }

    fileprivate var state: State
    private var batch: [Record] = []
    private var position = 0

    fileprivate init(state: State) { self.state = state }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Record? {
      while position == batch.count {
        let reading: RecordReading<Record>
        switch state {
        case .ended: return nil
        case .reading(let under): reading = under
        case .idle(let sequence):
          state = .ended
          reading = try RecordReading(sequence)
          state = .reading(reading)
        }
        do {
          guard let next = try await reading.nextBatch(isolation: actor) else {
            state = .ended
            return nil
          }
          batch = next
          position = 0
        } catch {
          state = .ended
          throw error
        }
      }
      defer { position += 1 }
      return batch[position]
    }
  }
}

/// One reading of a collection, on a thread that ends when the reading is released or its task is cancelled.
final class RecordReading<Record: Decodable & Sendable>: Sendable {
  private let channel = Channel<[Record]>(capacity: 2)
  private let cancellation: Cancellation
  private let cancelSource: @Sendable () -> Void

  init(_ sequence: RecordSequence<Record>) throws {
    let path = try CollectionPath(sequence.pointer)
    let options = sequence.options
    cancellation = Cancellation(within: options.execution.cancellation)
    let reading = try sequence.backup.reading(cancellation: cancellation)
    cancelSource = reading.cancel
    let decoding = RecordDecoding<Record>(decoder: sequence.decoder, pointer: sequence.pointer, limits: options.limits)
    var pass = PassOptions(limits: options.limits, execution: options.execution, slices: options.slices)
    pass.syntax = sequence.backup.syntax
    pass.execution.cancellation = cancellation
    pass.stackSize = BlockingWork.stackSize
    // Don't capture `self`, which must be released while the thread runs.
    try BlockingWork.start { [channel, pass] in
      defer { pass.execution.progress?.finish() }
      do {
        let consumer = RecordConsumer(decoding, at: path) { channel.sendWaiting($0) }
        var pass = DocumentPass(try reading.document(options.execution), for: consumer, options: pass)
        try pass.run()
        channel.finish()
      } catch {
        channel.finish(.failure(error))
      }
    }
  }

  deinit { stop() }

  private func stop() {
    cancellation.request()
    cancelSource()
    channel.close()
  }

  func nextBatch(isolation actor: isolated (any Actor)?) async throws -> [Record]? {
    try await withTaskCancellationHandler {
      try await channel.receive()
    } onCancel: {
      stop()
    }
  }
}

/// Options for reading records. The records never depend on them.
public struct RecordOptions: Sendable {
  /// Threads, memory, temporary files, cancellation and progress.
  public var execution = Execution()
  public var limits = ReaderLimits()
  package var slices: Slicer.Options? = Slicer.Options()

  public init() {}
}
