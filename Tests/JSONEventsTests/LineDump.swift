import ByteStreams
import TestSupport

@testable import JSONEvents

/// JSON Lines, or a sequence, read in slices: the events of all lines with their places, the record count of the slices, and the error that ends
/// them.
struct LineDump: Equatable {
  private(set) var events: [String] = []
  private(set) var recordCount = 0
  private(set) var error: CofferError?
  private(set) var sliceCount = 0

  init(_ source: some ByteSource, as syntax: JSONSyntax = .jsonLines, sliceSize: Int, limits: ReaderLimits = ReaderLimits())
    throws
  {
    var options = Slicer.Options()
    options.sliceSize = sliceSize
    let slicer = LineSlicer(source, as: syntax, options: options, limits: limits)
    do {
      while let slice = try slicer.nextSlice() {
        sliceCount += 1
        if read(slice, limits) { continue }
        let (before, error) = slice.firstBrokenUnit(limits: limits)
        if let before, !read(before, limits) { events.append("refused twice") }
        throw error
      }
    } catch let error as CofferError {
      self.error = error
    }
  }

  /// Returns false if the reader refuses the slice; its events are then dropped.
  private mutating func read(_ slice: Slice, _ limits: ReaderLimits) -> Bool {
    var reader = SliceReader(slice, depth: 1, limits: limits)
    let known = events.count
    while reader.next() { events += EventDump.descriptions(of: reader.batch, reader.lines) }
    if reader.hasFailed { events.removeLast(events.count - known) }
    if slice.firstIndex != recordCount { events.append("the slice begins with record \(slice.firstIndex), not \(recordCount)") }
    if !reader.hasFailed { recordCount += slice.recordCount }
    return !reader.hasFailed
  }

  /// Reads line by line, without slices: the reference for all others.
  init(plainly document: some Sequence<UInt8>, limits: ReaderLimits = ReaderLimits()) throws {
    var bytes = Array(document)[...]
    var position = TextPosition(offset: 0, line: 1, column: 1)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      bytes.removeFirst(3)
      position.offset = 3
    }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for line in lines {
      defer { position = TextPosition(offset: position.offset + line.count + 1, line: position.line + 1, column: 1) }
      if line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { continue }
      var reader = JSONEventReader(MemorySource(line), limits: limits, at: position)
      let known = events.count
      do {
        while try reader.next() { events += EventDump.descriptions(of: reader.batch, reader.lines) }
      } catch {
        // No slice gives events of the broken line.
        events.removeLast(events.count - known)
        self.error = error
        return
      }
      recordCount += 1
    }
  }

  static func == (a: LineDump, b: LineDump) -> Bool {
    a.events == b.events && a.recordCount == b.recordCount && a.error?.position == b.error?.position
  }
}
