import ByteStreams

@testable import JSONEvents

/// The events of a document with their places, read as envelope and slices: they equal those of `EventDump` if slicing is
/// correct.
struct SlicedDump {
  private(set) var events: [String] = []
  private(set) var error: CofferError?
  /// The number of slices that were read to their end.
  private(set) var sliceCount = 0
  private(set) var objectSliceCount = 0
  private(set) var largestSlice = 0

  /// - Parameter refuses: Returns whether the collection that begins after the given number of events is read as envelope.
  init(
    _ source: some ByteSource, slices: Slicer.Options, limits: ReaderLimits = ReaderLimits(), takesObjects: Bool = false,
    refuses: (Int) -> Bool = { _ in false }
  ) throws {
    let slicer = Slicer(source, options: slices)
    slicer.takesObjects = takesObjects
    var reader = JSONEventReader(slicer, limits: limits, keys: KeyComparison(low: 3, high: 4))
    do {
      while try reader.next() {
        events += EventDump.descriptions(of: reader.batch, reader.lines)
        guard slicer.recordsBefore != nil, let depth = slicer.depth else { continue }
        guard reader.hasReadAll, !refuses(events.count) else {
          slicer.refuse()
          continue
        }
        var given: [Slice] = []
        let isObject = slicer.isObject
        while let slice = slicer.nextSlice(leavesLargeRecords: isObject) { given.append(slice) }
        var failed: Int?
        for (index, slice) in given.enumerated() {
          let height = events.count
          if isObject { objectSliceCount += 1 }
          if !read(slice, depth: depth, limits: limits, names: { reader.openObject?.takeNames($0) == true }) {
            events.removeLast(events.count - height)
            failed = index
            break
          }
          sliceCount += 1
          largestSlice = max(largestSlice, slice.byteCount)
        }
        if let failed { slicer.putBack(Array(given[failed...])) }
        if failed ?? given.count > 0 {
          reader.skipItems(to: slicer.envelope.position, followsComma: slicer.envelope.followsComma)
        }
      }
    } catch {
      self.error = error
    }
  }

  private mutating func read(_ slice: Slice, depth: Int, limits: ReaderLimits, names take: (MemberNames) -> Bool) -> Bool {
    var reader = SliceReader(slice, depth: depth, limits: limits, keys: KeyComparison(low: 5, high: 6))
    while reader.next() { events += EventDump.descriptions(of: reader.batch, reader.lines) }
    return !reader.hasFailed && reader.names.map(take) ?? true
  }
}
