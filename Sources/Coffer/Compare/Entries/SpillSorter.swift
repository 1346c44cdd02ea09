import ByteStreams
import SystemPackage

/// Sorts any number of elements in bounded memory: sorted runs spill to a temporary file and are merged.
///
///     append ─▶ | elements … | full: sorted ─▶ run 1 · run 2 · run 3 …      next ◀─ the least of the runs' heads
///
/// If more runs than fit into memory with their buffers are left at the end, the first ones are merged into one, and so on.
///
/// Memory: the limit, but at least a few pages. Disk: the elements' size, twice that while runs are merged.
struct SpillSorter<Element: BitwiseCopyable & Comparable> {
  private let limit: Int
  private let folder: FilePath
  private let capacity: Int
  private var elements: [Element] = []
  private var file: SpillFile?
  private var runs: [Run] = []
  private(set) var count = 0
  /// The source of elements after reading has begun.
  private var position = 0
  private var merging: MergedRuns<Element>?

  struct Run {
    let chain: SpillFile.Chain
    private(set) var byteCount = 0

    init(chain: SpillFile.Chain) { self.chain = chain }

    /// Moves sorted elements to the end of the run.
    mutating func append(_ elements: inout [Element], to file: SpillFile) throws(CofferError) {
      let result = elements.withUnsafeBytes { bytes in Result { () throws(CofferError) in try file.append(bytes, to: chain) } }
      try result.get()
      byteCount += elements.count * MemoryLayout<Element>.stride
      elements.removeAll(keepingCapacity: true)
    }
  }

  private static var stride: Int { MemoryLayout<Element>.stride }

  /// - Parameters:
  ///   - memory: the limit in bytes.
  ///   - folder: the folder for the temporary file.
  init(memory: Int, folder: FilePath) {
    limit = max(memory, 4096)
    self.folder = folder
    // Sorting needs 50% more memory.
    capacity = max(16, limit / 3 * 2 / Self.stride)
  }

  mutating func append(_ element: Element) throws(CofferError) {
    if elements.count == capacity { try spill() }
    elements.append(element)
    count += 1
  }

  /// The number of runs to merge at a time: each needs a buffer.
  private var fanIn: Int { min(256, max(4, limit / (32 << 10))) }

  private mutating func spill() throws(CofferError) {
    elements.sort()
    if file == nil { file = try SpillFile(in: folder) }
    guard let file else { return }
    var run = Run(chain: file.makeChain())
    try run.append(&elements, to: file)
    runs.append(run)
  }

  private static func merge(_ runs: some Collection<Run>, in file: SpillFile, memory: Int) throws(CofferError) -> Run {
    var merging = try MergedRuns<Element>(runs, in: file, memory: memory)
    var run = Run(chain: file.makeChain())
    var piece: [Element] = []
    piece.reserveCapacity(1024)
    while let element = try merging.next() {
      piece.append(element)
      if piece.count == 1024 { try run.append(&piece, to: file) }
    }
    try run.append(&piece, to: file)
    return run
  }

  /// Ends appending: ``next()`` returns the elements from now on.
  mutating func finish() throws(CofferError) {
    guard let file else { return elements.sort() }
    if !elements.isEmpty { try spill() }
    elements = []
    while runs.count > fanIn {
      runs.append(try Self.merge(runs.prefix(fanIn), in: file, memory: limit / 2))
      runs.removeFirst(fanIn)
    }
    merging = try MergedRuns(runs, in: file, memory: limit / 2)
  }

  /// Returns the next element in order, or `nil` at the end.
  mutating func next() throws(CofferError) -> Element? {
    if merging != nil { return try merging?.next() }
    guard position < elements.count else { return nil }
    position += 1
    return elements[position - 1]
  }
}

/// Sorted runs, read as one.
struct MergedRuns<Element: BitwiseCopyable & Comparable> {
  private struct Reader {
    let run: SpillSorter<Element>.Run
    var offset = 0
    var elements: [Element] = []
    var position = 0
  }

  private let file: SpillFile
  private let pieceCount: Int
  private var readers: [Reader]
  /// The runs' first elements, as a binary heap.
  private var heap: [(element: Element, reader: Int)] = []

  init(_ runs: some Collection<SpillSorter<Element>.Run>, in file: SpillFile, memory: Int) throws(CofferError) {
    self.file = file
    pieceCount = max(16, min(1 << 18, memory / max(1, runs.count)) / MemoryLayout<Element>.stride)
    readers = runs.map { Reader(run: $0) }
    for index in readers.indices {
      guard let element = try element(of: index) else { continue }
      heap.append((element, index))
      rise()
    }
  }

  mutating func next() throws(CofferError) -> Element? {
    guard let (least, reader) = heap.first else { return nil }
    if let element = try element(of: reader) {
      heap[0] = (element, reader)
    } else {
      file.free(readers[reader].run.chain)
      let last = heap.removeLast()
      if heap.isEmpty { return least }
      heap[0] = last
    }
    sink()
    return least
  }

  private mutating func element(of index: Int) throws(CofferError) -> Element? {
    if readers[index].position == readers[index].elements.count { try fill(index) }
    guard readers[index].position < readers[index].elements.count else { return nil }
    readers[index].position += 1
    return readers[index].elements[readers[index].position - 1]
  }

  private mutating func fill(_ index: Int) throws(CofferError) {
    let stride = MemoryLayout<Element>.stride
    let reader = readers[index]
    let count = min(pieceCount, (reader.run.byteCount - reader.offset) / stride)
    var failure: CofferError?
    let file = file
    // `Array` would write the count of an empty one into the storage that all empty arrays share.
    readers[index].elements = Array(unsafeUninitializedCapacity: max(1, count)) { buffer, initialized in
      let bytes = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count * stride)
      var filled = 0
      do throws(CofferError) {
        while filled < bytes.count {
          let more = try file.read(
            reader.run.chain, at: reader.offset + filled, into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]))
          if more == 0 { throw file.damaged }
          filled += more
        }
        initialized = count
      } catch { failure = error }
    }
    if let failure { throw failure }
    readers[index].position = 0
    readers[index].offset += count * stride
  }

  // MARK: The heap

  private mutating func rise() {
    var index = heap.count - 1
    while index > 0, heap[index].element < heap[(index - 1) / 2].element {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func sink() {
    var index = 0
    while true {
      var least = index
      for child in 2 * index + 1...2 * index + 2 where child < heap.count {
        if heap[child].element < heap[least].element { least = child }
      }
      if least == index { return }
      heap.swapAt(index, least)
      index = least
    }
  }
}
