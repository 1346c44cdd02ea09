import ByteStreams

@testable import JSONEvents

/// The reader's result for a document: its events, each with its place, and the error that ends them.
///
///     key name @1 1:2           kind, text (escapes resolved), byte offset, line:column; "again" for a duplicate key
struct EventDump: Equatable {
  private(set) var events: [String] = []
  private(set) var error: CofferError?

  init(_ document: some Sequence<UInt8>, limits: ReaderLimits = ReaderLimits()) throws {
    try self.init(of: MemorySource(document), limits: limits)
  }

  init(_ document: String, chunkSize: Int? = nil) throws {
    try self.init([UInt8](document: document), limits: ReaderLimits(chunkSize: chunkSize))
  }

  init(of source: some ByteSource, limits: ReaderLimits = ReaderLimits()) throws {
    var reader = JSONEventReader(source, limits: limits, keys: KeyComparison(low: 1, high: 2))
    do {
      while try reader.next() {
        events += Self.descriptions(of: reader.batch, reader.lines)
      }
    } catch {
      self.error = error
    }
  }

  static func descriptions(of batch: EventBatch, _ lines: LineCursor) -> [String] {
    var lines = lines
    return (0..<batch.count).map { index in
      let event = batch[index]
      let place = lines.position(at: batch.offset(of: event))
      var words = ["\(event.kind)"]
      switch event.kind {
      case .string, .key, .number: words.append(batch.text(of: event).string)
      default: break
      }
      if event.isDuplicateKey { words.append("again") }
      return (words + ["@\(place.offset)", "\(place.line):\(place.column)"]).joined(separator: " ")
    }
  }

  /// The events without their places.
  var kindsAndTexts: [String] { events.map { $0.split(separator: " ").dropLast(2).joined(separator: " ") } }
}

extension ReaderLimits {
  init(depth: Int? = nil, tokenSize: Int? = nil, chunkSize: Int?) {
    self.init()
    if let depth { self.depth = depth }
    if let tokenSize { self.tokenSize = tokenSize }
    if let chunkSize { self.chunkSize = chunkSize }
  }
}
