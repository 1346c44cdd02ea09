package import ByteStreams
import Platform
package import SystemPackage

/// Formats events with the members of every object sorted by the Unicode code points of their names; members with equal names
/// keep their order.
///
///     text      { "b":2, "a":[{"d":1, …     members end with a comma, so that they can move; the object's end drops the last one
///     frames    ^ open objects  ^
///     members      ^      ^      ^         of the open objects, innermost last
///
/// Time: a copy of each token, and another of each unsorted object. Memory: the largest object, up to `spillSize`. Larger objects
/// (the root, which contains whole collections) spill to an unnamed temporary file, one member after the other, and are read back
/// in order; only the names and ranges of their members stay in memory.
package struct SortingFormatter: EventFormatter, ~Copyable {
  private var text: PlainFormatter
  private var frames: [Frame] = []
  private var members: [Member] = []
  /// The concatenated unescaped names of the open objects' members.
  private var names: [UInt8] = []
  private var spill: SpilledObjects

  /// An open object.
  private struct Frame {
    /// The start in `text` of the object's bytes that are not in its chain.
    var textStart: Int
    var firstMember: Int
    var firstName: Int
    /// The object's bytes in the temporary file, and their number.
    var chain: SpillFile.Chain?
    var spilledCount = 0
  }

  private struct Member {
    let name: Range<Int>
    /// Relative to the object's first member.
    var range: Range<Int>
  }

  package init(layout: FormatLayout, at place: FormatPlace, temporaryFolder: FilePath = SpillFile.defaultFolder) {
    self.init(layout: layout, at: place, spillSize: 8 << 20, temporaryFolder: temporaryFolder)
  }

  /// - Parameter spillSize: the largest size of an object in memory.
  package init(
    layout: FormatLayout, at place: FormatPlace, spillSize: Int, temporaryFolder: FilePath = SpillFile.defaultFolder
  ) {
    text = PlainFormatter(layout: layout, at: place)
    spill = SpilledObjects(size: spillSize, in: temporaryFolder)
  }

  // MARK: Events

  package mutating func write(_ batch: EventBatch, _ range: Range<Int>) throws(CofferError) {
    for index in range {
      let event = batch[index]
      switch event.kind {
      case .objectEnd:
        try endMembers()
        text.endObject()
      case .arrayEnd: text.endArray()
      case .key: try begin(batch.text(of: event), batch.token(of: event))
      case .objectStart:
        text.beginObject()
        frames.append(Frame(textStart: text.buffer.count, firstMember: members.count, firstName: names.count))
      case .arrayStart: text.beginArray()
      case .null, .false, .true, .number, .string: text.scalar(batch.token(of: event))
      }
    }
  }

  /// Begins a member.
  private mutating func begin(_ name: ByteView, _ token: ByteView) throws(CofferError) {
    guard let frame = frames.last else { preconditionFailure("a key outside any object") }
    if text.last == .value { endMember(of: frame) }
    if frame.chain != nil, members.count - frame.firstMember >= Self.memberLimit || names.count > Self.namesLimit {
      throw CofferError(
        .sortLimit,
        "cannot sort an object of more than \(spill.size >> 20) MiB with more than \(Self.memberLimit) members, or "
          + "\(Self.namesLimit >> 20) MiB of names")
    }
    let start = position(in: frame)
    let nameStart = names.count
    name.withUnsafeBytes { names.append(contentsOf: $0) }
    members.append(Member(name: nameStart..<names.count, range: start..<start))
    text.reserve(token.count)
    text.putKey(token)
  }

  private func position(in frame: Frame) -> Int { frame.spilledCount + text.buffer.count - frame.textStart }

  private mutating func endMember(of frame: Frame) {
    text.buffer.append(UInt8(ascii: ","))
    let index = members.count - 1
    members[index].range = members[index].range.lowerBound..<position(in: frame)
  }

  // MARK: Sorting

  /// The limits of an object that doesn't fit into memory: the number of members, and the bytes of their names and of those of
  /// outer objects.
  private static let memberLimit = 1 << 20
  private static let namesLimit = 32 << 20

  /// Ends the innermost object's members: sorts them and removes the last comma.
  private mutating func endMembers() throws(CofferError) {
    guard let frame = frames.popLast() else { preconditionFailure("no object is open") }
    defer {
      members.removeLast(members.count - frame.firstMember)
      names.removeLast(names.count - frame.firstName)
    }
    guard text.last == .value else { return }
    endMember(of: frame)
    let isSorted = sortMembers(from: frame.firstMember)
    let ranges = members[frame.firstMember...].lazy.map(\.range)
    if frame.chain != nil {
      let chain = try spill.append(text.buffer.bytes, to: frame.chain)
      text.buffer.truncate(to: 0)
      if let parent = frames.indices.last, let outer = frames[parent].chain {
        frames[parent].spilledCount += try spill.move(chain, in: ranges, to: outer)
      } else {
        spill.finish(chain, in: Array(ranges))
      }
    } else {
      if !isSorted {
        text.buffer.rearrange(
          from: frame.textStart, in: ranges.map { $0.lowerBound + frame.textStart..<$0.upperBound + frame.textStart })
      }
      text.buffer.truncate(to: text.buffer.count - 1)
    }
  }

  /// Sorts the members; returns true if they were already in order.
  private mutating func sortMembers(from first: Int) -> Bool {
    names.withUnsafeBytes { names in
      func precedes(_ a: Member, _ b: Member) -> Bool {
        let count = min(a.name.count, b.name.count)
        if count > 0, let start = names.baseAddress {
          let order = memcmp(start + a.name.lowerBound, start + b.name.lowerBound, count)
          if order != 0 { return order < 0 }
        }
        return (a.name.count, a.range.lowerBound) < (b.name.count, b.range.lowerBound)
      }
      return members.withUnsafeMutableBufferPointer { members in
        var own = UnsafeMutableBufferPointer(rebasing: members[first...])
        if (1..<own.count).allSatisfy({ precedes(own[$0 - 1], own[$0]) }) { return true }
        own.sort(by: precedes)
        return false
      }
    }
  }

  // MARK: Handing over

  package mutating func append(_ items: borrowing ByteBuffer, to sink: inout some ByteSink) throws(CofferError) {
    text.buffer.append(items.bytes)
    text.skipItems()
    try drain(to: &sink)
  }

  package static var takesFormattedItems: Bool { false }

  package mutating func skipItems() { text.skipItems() }

  package mutating func drain(to sink: inout some ByteSink) throws(CofferError) {
    try spill.flush(to: &sink)
    let finished = frames.first?.textStart ?? text.buffer.count
    let mustSpill = text.buffer.count - finished > spill.size
    if finished >= 64 << 10 || mustSpill {
      try sink.write(UnsafeRawBufferPointer(rebasing: text.buffer.bytes.prefix(finished)))
      text.buffer.dropFirst(finished)
      // If any object has spilled, no text precedes the first object.
      for index in frames.indices where frames[index].chain == nil { frames[index].textStart -= finished }
    }
    if mustSpill { try spillFrames() }
  }

  /// Moves the text of the open objects to the temporary file.
  private mutating func spillFrames() throws(CofferError) {
    for index in frames.indices {
      let end = index + 1 < frames.count ? frames[index + 1].textStart : text.buffer.count
      let own = UnsafeRawBufferPointer(rebasing: text.buffer.bytes[frames[index].textStart..<end])
      frames[index].chain = try spill.append(own, to: frames[index].chain)
      frames[index].spilledCount += own.count
    }
    for index in frames.indices { frames[index].textStart = 0 }
    text.buffer.truncate(to: 0)
  }

  package mutating func flush(to sink: inout some ByteSink) throws(CofferError) {
    try spill.flush(to: &sink)
    if frames.isEmpty { try text.buffer.flush(to: &sink) }
  }

  package var byteCount: Int { text.buffer.count }

  package consuming func takeText() -> ByteBuffer { text.buffer }
}

/// Objects whose members are in a temporary file, because they are too large to sort in memory.
struct SpilledObjects: ~Copyable {
  /// The largest size of an object in memory.
  let size: Int
  private var file: SpillFile?
  /// A complete object that is not inside another spilled one: the next to be written.
  private var finished: (chain: SpillFile.Chain, ranges: [Range<Int>])?
  /// The number of bytes copied at a time.
  private static let pieceSize = 64 << 10

  private let folder: FilePath

  init(size: Int, in folder: FilePath) {
    self.size = size
    self.folder = folder
  }

  /// Appends to an object's members. If there is no chain, begins a new object.
  mutating func append(_ bytes: UnsafeRawBufferPointer, to chain: SpillFile.Chain?) throws(CofferError) -> SpillFile.Chain {
    // Don't use `??`, which would lose the error's type.
    if file == nil { file = try SpillFile(in: folder) }
    guard let file else { preconditionFailure("just made") }
    let chain = chain ?? file.makeChain()
    try file.append(bytes, to: chain)
    return chain
  }

  /// Appends a complete object's members in order, without the last comma, to those of the outer object. Returns their number of
  /// bytes.
  mutating func move(
    _ chain: SpillFile.Chain, in ranges: some Collection<Range<Int>>, to outer: SpillFile.Chain
  ) throws(CofferError) -> Int {
    guard let file else { return 0 }
    var count = 0
    try Self.read(chain, of: file, in: ranges) { piece throws(CofferError) in
      try file.append(piece, to: outer)
      count += piece.count
    }
    return count
  }

  /// Marks an object as complete; it must not be inside another spilled one.
  mutating func finish(_ chain: SpillFile.Chain, in ranges: [Range<Int>]) {
    precondition(finished == nil, "two objects spilled between two drains")
    finished = (chain, ranges)
  }

  mutating func flush(to sink: inout some ByteSink) throws(CofferError) {
    guard let file, let (chain, ranges) = finished else { return }
    finished = nil
    try Self.read(chain, of: file, in: ranges) { piece throws(CofferError) in try sink.write(piece) }
  }

  private static func read(
    _ chain: SpillFile.Chain, of file: SpillFile, in ranges: some Collection<Range<Int>>,
    _ body: (UnsafeRawBufferPointer) throws(CofferError) -> Void
  ) throws(CofferError) {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 1)
    defer {
      piece.deallocate()
      file.free(chain)
    }
    var rest = ranges.reduce(0) { $0 + $1.count } - 1
    for range in ranges {
      var offset = range.lowerBound
      let end = offset + min(range.count, rest)
      rest -= end - offset
      while offset < end {
        let wanted = UnsafeMutableRawBufferPointer(rebasing: piece.prefix(end - offset))
        let count = try file.read(chain, at: offset, into: wanted)
        if count == 0 { throw file.damaged }
        try body(UnsafeRawBufferPointer(rebasing: wanted.prefix(count)))
        offset += count
      }
    }
  }
}
