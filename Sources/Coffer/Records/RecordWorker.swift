import JSONEvents

/// Decodes the records of slices, or only checks that they are well formed if they are not wanted.
struct RecordWorker<Record: Decodable & Sendable>: SliceWorker {
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

  func work(on slice: Slice, workerContext: Void) -> Partial? {
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
