import ByteStreams
import JSONEvents

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes records from their text, and reports the place of a record that can't be decoded.
struct RecordDecoding<Record: Decodable & Sendable>: Sendable {
  let decoder: JSONDecoder
  /// The collection's JSON Pointer.
  let pointer: String
  let limits: ReaderLimits

  func decode(_ bytes: UnsafeRawBufferPointer) throws -> Record {
    guard let start = bytes.baseAddress else { return try decoder.decode(Record.self, from: Data()) }
    return try decoder.decode(Record.self, from: Data(bytes: start, count: bytes.count))
  }

  // MARK: Errors

  /// Returns the error to throw for `error` in the record with this index.
  ///
  /// - Parameters:
  ///   - text: the record's text.
  ///   - position: the record's place in the document.
  ///   - places: the places of the record's values, if `text` isn't the document's own.
  func failure(
    _ error: any Error, ofRecord index: Int, text: [UInt8], at position: TextPosition, places: [TextPosition]? = nil
  ) -> CofferError {
    let names = Self.codingPath(of: error)
    let found = place(of: names, in: text, at: position)
    var place = found.position
    if let places, places.indices.contains(found.ordinal) { place = places[found.ordinal] }
    let value = ([pointer, String(index)] + names.map(\.pointerToken)).joined(separator: "/")
    return CofferError(
      .decoding, "a record can't be decoded: \(Self.reason(for: error))", at: .init(pointer: value, position: place),
      underlying: error)
  }

  private static func reason(for error: any Error) -> String {
    switch error {
    // The text is valid JSON, so the cause is a number that the type can't hold.
    case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty && context.underlyingError != nil:
      "a value does not fit its Swift type"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context), DecodingError.keyNotFound(_, let context):
      context.debugDescription
    default: "\(error)"
    }
  }

  private static func codingPath(of error: any Error) -> [String] {
    switch error {
    case DecodingError.keyNotFound(let key, let context): names(of: context.codingPath + [key])
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context):
      names(of: context.codingPath)
    default: []
    }
  }

  private static func names(of path: [any CodingKey]) -> [String] {
    path.map { key in key.intValue.map(String.init) ?? key.stringValue }
  }

  /// Returns the place of the value at this path or at its longest existing prefix, and the number of values before it in the
  /// record.
  private func place(of names: [String], in text: [UInt8], at position: TextPosition) -> (position: TextPosition, ordinal: Int) {
    var found = (position: position, ordinal: 0)
    var ordinal = 0
    var path = PointerTree([names])
    var reader = JSONEventReader(MemorySource(text), limits: limits, at: position)
    // The text was read before, so this can't fail.
    while (try? reader.next()) == true {
      var lines = reader.lines
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        if let count = path.node(of: event, in: reader.batch) {
          found = (lines.position(at: reader.batch.offset(of: event)), ordinal)
          if count == names.count { return found }
        }
        switch event.kind {
        case .key, .objectEnd, .arrayEnd: break
        default: ordinal += 1
        }
      }
    }
    return found
  }
}

/// The text of one record that is read as envelope, reassembled from its events: when the record is complete, its bytes may have
/// left the reader's buffer.
///
/// The tokens are the document's own, but without white space between them, so the values' places are kept separately.
struct RecordText: ~Copyable {
  private var formatter = PlainFormatter(layout: .compact, at: .start)
  /// The places of the record's values in the document, in order.
  private(set) var places: [TextPosition] = []

  var bytes: [UInt8] { formatter.bytes }

  /// The start of the record.
  var start: TextPosition { places.first ?? TextPosition(offset: 0, line: 1, column: 1) }

  mutating func clear() {
    formatter = PlainFormatter(layout: .compact, at: .start)
    places.removeAll(keepingCapacity: true)
  }

  /// Takes the event at `index`, which begins at `place`.
  mutating func append(_ index: Int, of batch: EventBatch, at place: TextPosition) {
    formatter.write(batch, index..<index + 1)
    switch batch[index].kind {
    case .key, .objectEnd, .arrayEnd: break
    case .null, .false, .true, .number, .string, .objectStart, .arrayStart: places.append(place)
    }
  }
}

/// Reads the records of one collection, from slices if possible, otherwise from the envelope, and passes them on in batches.
struct RecordConsumer<Record: Decodable & Sendable>: DocumentConsumer, ~Copyable {
  private let decoding: RecordDecoding<Record>
  /// Returns false to stop.
  private let send: ([Record]) -> Bool
  private var path: CollectionPath
  /// The number of records so far.
  private var count = 0
  /// The record that is being read as envelope.
  private var text = RecordText()

  init(_ decoding: RecordDecoding<Record>, at path: CollectionPath, send: @escaping ([Record]) -> Bool) {
    self.decoding = decoding
    self.path = path
    self.send = send
  }

  mutating func consume(_ batch: EventBatch, lines: LineCursor) throws {
    var records: [Record] = []
    // Delivers the records before an error first.
    let outcome = Result { try read(batch, lines, into: &records) }
    try hand(records)
    try outcome.get()
  }

  private mutating func read(_ batch: EventBatch, _ lines: LineCursor, into records: inout [Record]) throws {
    var lines = lines
    for index in 0..<batch.count {
      let event = batch[index]
      guard case .record(let isFirst, let isLast) = try path.role(of: event, in: batch) else { continue }
      if isFirst { text.clear() }
      text.append(index, of: batch, at: lines.position(at: batch.offset(of: event)))
      if isLast {
        let bytes = text.bytes
        do {
          records.append(try bytes.withUnsafeBytes { try decoding.decode($0) })
        } catch {
          throw decoding.failure(error, ofRecord: count, text: bytes, at: text.start, places: text.places)
        }
        count += 1
      }
    }
  }

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> (Slice, Void) -> RecordWorker<Record>.Partial?)? {
    let decoding: RecordDecoding<Record>?
    switch path.relation {
    case .holdsRecords: decoding = self.decoding
    case .holdsNone: decoding = nil
    case .mayLeadToThem: return nil
    }
    let worker = RecordWorker(decoding: decoding, depth: depth, limits: self.decoding.limits)
    return { { slice, _ in worker.records(of: slice) } }
  }

  mutating func merge(_ partial: RecordWorker<Record>.Partial, of slice: Slice) throws {
    if path.relation == .holdsRecords { count = slice.firstIndex + slice.recordCount }
    try hand(partial.records)
    if let failure = partial.failure { throw failure }
  }

  mutating func finish() throws { try path.finish() }

  private func hand(_ records: [Record]) throws {
    if !records.isEmpty, !send(records) { throw CancellationError() }
  }
}

/// Decodes the records of slices, or only checks that they are well formed if they are not wanted.
struct RecordWorker<Record: Decodable & Sendable>: Sendable {
  /// A slice's result: the records before the first one that can't be decoded, and that one's error.
  struct Partial: Sendable {
    var records: [Record] = []
    var failure: CofferError?
  }

  /// `nil` if the records are not needed.
  let decoding: RecordDecoding<Record>?
  /// The number of open brackets around the records.
  let depth: Int
  let limits: ReaderLimits

  /// Returns the records of a slice, or `nil` if it is malformed.
  func records(of slice: Slice) -> Partial? {
    var starts: [Int] = []
    var reader = SliceReader(slice, depth: depth, limits: limits)
    var innerDepth = 0
    while reader.next() {
      guard decoding != nil else { continue }
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        switch event.kind {
        case .objectStart, .arrayStart:
          if innerDepth == 0 { starts.append(reader.batch.offset(of: event)) }
          innerDepth += 1
        case .objectEnd, .arrayEnd: innerDepth -= 1
        case .key: break
        default: if innerDepth == 0 { starts.append(reader.batch.offset(of: event)) }
        }
      }
    }
    return reader.hasFailed ? nil : decode(starts, of: slice)
  }

  /// - Parameter starts: the start of each record, which white space may follow, and a comma or a line break if there is another
  ///   one.
  private func decode(_ starts: [Int], of slice: Slice) -> Partial {
    var partial = Partial()
    guard let decoding else { return partial }
    partial.records.reserveCapacity(starts.count)
    for (number, start) in starts.enumerated() {
      let text = slice.bytes(from: start, to: number + 1 < starts.count ? starts[number + 1] : slice.end).withoutSeparator
      do {
        partial.records.append(try text.withUnsafeBytes { try decoding.decode($0) })
      } catch {
        var lines = slice.lines
        partial.failure = decoding.failure(
          error, ofRecord: slice.firstIndex + number, text: text.array, at: lines.position(at: start))
        return partial
      }
    }
    return partial
  }
}

extension ByteView {
  /// The value without the comma and white space after it.
  fileprivate var withoutSeparator: ByteView {
    var end = count
    while end > 0, [0x20, 0x0A, 0x0D, 0x09, UInt8(ascii: ",")].contains(self[end - 1]) { end -= 1 }
    return prefix(end)
  }
}
