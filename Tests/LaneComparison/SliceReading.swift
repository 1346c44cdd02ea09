import ByteStreams
package import JSONEvents

/// The complete result of reading a slice.
package struct SliceReading: Equatable {
  /// For each event: its token's place, its kind and whether it is a duplicate key, and its text's length.
  private var events: [UInt64] = []
  private var texts: [UInt8] = []
  /// True if the slice is no run of whole values, of lines of one value, or of a sequence.
  package private(set) var isRefused = false

  private static let keys = KeyComparison(low: 1, high: 2)

  /// Reads a slice with the lane.
  init(_ slice: Slice, by kernel: SliceReader.Kernel, limits: ReaderLimits, comparesKeys: Bool) {
    var reader = SliceReader(slice, depth: 1, limits: limits, keys: comparesKeys ? Self.keys : nil, kernel: kernel)
    while reader.next() { note(reader.batch, 0..<reader.batch.count) }
    if reader.hasFailed { refuse() }
  }

  /// Reads records with the reader, and so with yajl: as an array or an object, or each line or value of a sequence as a document.
  init(byYajl records: [UInt8], syntax: JSONSyntax, ofObject: Bool, limits: ReaderLimits, comparesKeys: Bool) {
    do {
      switch syntax {
      case .json:
        let (open, close) = ofObject ? ("{", "}") : ("[", "]")
        let items = try read(Array(open.utf8) + records + Array(close.utf8), at: 0, inBrackets: true, limits, comparesKeys)
        if items == 0 || ofObject && hasDuplicateMember { refuse() }
      case .jsonLines:
        var offset = 0
        for line in records.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
          if line.count > limits.lineSize { throw CofferError(.lineLimit, "the line is too long") }
          let isBlank = line.allSatisfy { [0x20, 0x09, 0x0D].contains($0) }
          // A byte order mark may only begin the document, so no line is at its start.
          if !isBlank { _ = try read(Array(line), at: offset, inBrackets: false, limits, comparesKeys) }
          offset += line.count + 1
        }
      case .sequence:
        try Slice(of: records, syntax: syntax).forEachUnit { unit in
          if unit.isBlank { return true }
          _ = try read(unit.value.array, at: unit.valueStart.offset, inBrackets: false, limits, comparesKeys)
          return true
        }
      }
    } catch {
      refuse()
    }
  }

  /// - Returns: the number of events.
  private mutating func read(
    _ text: [UInt8], at offset: Int, inBrackets: Bool, _ limits: ReaderLimits, _ comparesKeys: Bool
  ) throws -> Int {
    var limits = limits
    limits.chunkSize = max(1, min(limits.chunkSize, text.count + (inBrackets ? 0 : 1)))
    // A blank before a line moves it away from the document's start.
    let source = MemorySource(inBrackets ? text : [UInt8(ascii: " ")] + text)
    var reader = JSONEventReader(source, limits: limits, keys: comparesKeys ? Self.keys : nil)
    var count = 0
    while try reader.next() {
      for index in 0..<reader.batch.count {
        // The first and the last event are the brackets.
        if !inBrackets || count > 0 { note(reader.batch, index..<index + 1, movedBy: offset - 1) }
        count += 1
      }
    }
    if inBrackets { dropLast() }
    return count - (inBrackets ? 2 : 0)
  }

  private mutating func note(_ batch: EventBatch, _ range: Range<Int>, movedBy distance: Int = 0) {
    for index in range {
      let event = batch[index]
      let (text, token) = (batch.text(of: event), batch.token(of: event))
      events.append(UInt64(bitPattern: Int64(batch.offset(of: event) + distance)))
      events.append(UInt64(event.kind.rawValue) | (event.isDuplicateKey ? 1 << 8 : 0) | UInt64(token.count) << 16)
      events.append(UInt64(text.count))
      text.withUnsafeBytes { texts += $0 }
    }
  }

  /// True if two members of the object itself have the same name: slices leave that to the envelope.
  private var hasDuplicateMember: Bool {
    var depth = 0
    for index in stride(from: 1, to: events.count, by: 3) {
      switch Event.Kind(rawValue: UInt8(truncatingIfNeeded: events[index])) {
      case .objectStart, .arrayStart: depth += 1
      case .objectEnd, .arrayEnd: depth -= 1
      case .key where depth == 0: if events[index] >> 8 & 1 == 1 { return true }
      default: break
      }
    }
    return false
  }

  private mutating func dropLast() {
    texts.removeLast(Int(events[events.count - 1]))
    events.removeLast(3)
  }

  private mutating func refuse() {
    events = []
    texts = []
    isRefused = true
  }

  /// Returns the names of the lane's kernels on this machine whose results differ from those of yajl.
  package static func kernelsThatDiffer(
    on records: some Collection<UInt8>, syntax: JSONSyntax, ofObject: Bool = false, limits: ReaderLimits = ReaderLimits(),
    comparesKeys: Bool = true
  ) -> (names: [String], isRefused: Bool) {
    let slice = Slice(of: records, syntax: syntax, isOfObject: ofObject)
    let right = SliceReading(
      byYajl: Array(records), syntax: syntax, ofObject: ofObject, limits: limits, comparesKeys: comparesKeys)
    let kernels = SliceReader.Kernel.allCases.filter { $0 != .best && $0.isSupported }
    let wrong = kernels.filter { SliceReading(slice, by: $0, limits: limits, comparesKeys: comparesKeys) != right }
    return (wrong.map(\.rawValue), right.isRefused)
  }
}
