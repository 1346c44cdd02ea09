import CByteScan

/// Scans a range of a document, fed in pieces of any size.
///
/// Cost: one pass of `CByteScan`, some 2 GB per second. Memory: a block of 64 bytes.
package struct RangeScanner: ~Copyable {
  private var scan = coffer_range()
  /// The bytes of an unfinished block.
  private var pending: [UInt8] = []
  /// True while the bytes may be the beginning of a byte order mark, which takes no column.
  private var awaitsByteOrderMark: Bool

  /// - Parameter offset: where the range begins in the document. The byte before must not be a backslash.
  package init(from offset: Int) { self.init(from: offset, kernel: COFFER_SCAN_BEST) }

  init(from offset: Int, kernel: coffer_scan_kernel) {
    awaitsByteOrderMark = offset == 0
    pending.reserveCapacity(Self.blockSize)
    coffer_range_start(&scan, kernel)
  }

  private static var blockSize: Int { Int(COFFER_SCAN_BLOCK) }

  /// Scans the next bytes.
  package mutating func feed(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    if awaitsByteOrderMark {
      complete(3, from: &rest)
      if pending.count < 3 { return }
      awaitsByteOrderMark = false
      if pending == [0xEF, 0xBB, 0xBF] {
        pending.removeAll(keepingCapacity: true)
        scan.end.bytes = 3
      }
    }
    if !pending.isEmpty {
      complete(Self.blockSize, from: &rest)
      if pending.count < Self.blockSize { return }
      coffer_range_blocks(&scan, pending, pending.count)
      pending.removeAll(keepingCapacity: true)
    }
    let length = rest.count & ~(Self.blockSize - 1)
    if let base = rest.bindMemory(to: UInt8.self).baseAddress { coffer_range_blocks(&scan, base, length) }
    pending += rest[length...]
  }

  /// Moves bytes from the front of `bytes` until `count` are pending.
  private mutating func complete(_ count: Int, from bytes: inout UnsafeRawBufferPointer) {
    let length = min(bytes.count, max(0, count - pending.count))
    pending += bytes[..<length]
    bytes = UnsafeRawBufferPointer(rebasing: bytes[length...])
  }

  /// Returns the summary of all bytes fed.
  package consuming func finish() -> RangeSummary {
    coffer_range_finish(&scan, pending, pending.count)
    var summary = RangeSummary()
    summary.extent = TextExtent(scan.end)
    summary.outside = RangeStructure(scan.outside, endsInString: scan.in_string != 0)
    summary.inside = RangeStructure(scan.inside, endsInString: scan.in_string == 0)
    return summary
  }
}

extension RangeSummary {
  /// Scans a range in memory.
  ///
  /// - Parameter offset: where it begins in the document. The byte before must not be a backslash.
  package init(of bytes: UnsafeRawBufferPointer, from offset: Int) {
    var scanner = RangeScanner(from: offset)
    scanner.feed(bytes)
    self = scanner.finish()
  }
}

extension TextExtent {
  fileprivate init(_ place: coffer_range_place) {
    self.init(byteCount: Int(place.bytes), newlineCount: Int(place.newlines), scalarCount: Int(place.scalars))
  }
}

extension RangeStructure {
  /// Returns `nil` if the side is dead.
  fileprivate init?(_ side: coffer_range_side, endsInString: Bool) {
    if side.is_dead != 0 { return nil }
    self.init(endsInString: endsInString)
    closerCount = Int(side.closers)
    openerCount = Int(side.openers)
    let floors = [side.floors.0, side.floors.1, side.floors.2, side.floors.3]
    let levels = [side.levels.0, side.levels.1, side.levels.2, side.levels.3]
    self.floors = (max(0, closerCount - Self.limit + 1)...closerCount).map { Floor(floors[$0 % Self.limit], isStart: $0 == 0) }
    self.levels = levels.prefix(openerCount).map(Level.init)
  }
}

extension RangeStructure.Floor {
  fileprivate init(_ floor: coffer_range_floor, isStart: Bool) {
    self.init(closer: isStart ? TextExtent() : TextExtent(floor.closer), commas: RangeStructure.Commas(floor.commas))
  }
}

extension RangeStructure.Level {
  fileprivate init(_ level: coffer_range_level) {
    self.init(isArray: level.is_array != 0, inside: TextExtent(level.inside), commas: RangeStructure.Commas(level.commas))
  }
}

extension RangeStructure.Commas {
  fileprivate init(_ commas: coffer_range_commas) {
    self.init()
    if commas.count == 0 { return }
    count = Int(commas.count)
    first = TextExtent(commas.first)
    last = TextExtent(commas.last)
  }
}
