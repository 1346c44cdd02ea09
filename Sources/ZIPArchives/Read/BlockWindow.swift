import ByteStreams

/// Gives libarchive the archive's bytes block by block, and keeps the last blocks.
///
///     bytes of the archive    … │ block 4 │ block 5 │ block 6 │        256 KiB each, whole but for the last
///                               └──── still readable ─────┴─ libarchive reads here
///
/// A header is shorter than a block, so all of it is still readable when libarchive has just read it.
final class BlockWindow {
  static let blockSize = 1 << 18
  private static let blockCount = 3

  private struct Block {
    let memory: UnsafeMutableRawBufferPointer
    var offset = 0
    var count = 0
  }

  private var input: Input
  private var blocks: [Block]
  private var last = 0
  /// The offset at which the next block begins.
  private var offset = 0
  private(set) var isAtEnd = false
  private(set) var failure: CofferError?

  struct Patch {
    let offset: Int
    let bytes: [UInt8]
  }

  private let patches: [Patch]
  /// The first patch that doesn't end before the current block.
  private var nextPatch = 0

  private enum Input {
    case stream(any ByteSource)
    case stored(StoredBytes)
  }

  convenience init(_ source: any ByteSource) { self.init(.stream(source)) }

  /// Reads bytes with random access, and skips those that libarchive doesn't need.
  ///
  /// - Parameter patches: bytes that libarchive reads instead of the archive's, in the order of their offsets.
  convenience init(_ stored: StoredBytes, patches: [Patch] = []) { self.init(.stored(stored), patches) }

  private init(_ input: Input, _ patches: [Patch] = []) {
    self.input = input
    self.patches = patches
    blocks = (0..<Self.blockCount).map { _ in
      Block(memory: .allocate(byteCount: Self.blockSize, alignment: 16))
    }
  }

  deinit { for block in blocks { block.memory.deallocate() } }

  var canSkip: Bool {
    if case .stored = input { true } else { false }
  }

  /// Returns the next block, which is valid until two more have been requested. It is empty at the end, and `nil` if reading
  /// failed.
  func next() -> UnsafeRawBufferPointer? {
    if failure != nil { return nil }
    last = (last + 1) % Self.blockCount
    blocks[last].offset = offset
    blocks[last].count = 0
    do throws(CofferError) {
      // Fills whole blocks, regardless of the size of the source's pieces.
      while blocks[last].count < Self.blockSize, !isAtEnd {
        let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: blocks[last].memory[blocks[last].count...]))
        blocks[last].count += count
        offset += count
        if count == 0 { isAtEnd = true }
      }
    } catch {
      failure = error
      return nil
    }
    patch(blocks[last])
    return UnsafeRawBufferPointer(rebasing: blocks[last].memory[..<blocks[last].count])
  }

  private func patch(_ block: Block) {
    let end = block.offset + block.count
    while nextPatch < patches.count, patches[nextPatch].offset + patches[nextPatch].bytes.count <= block.offset { nextPatch += 1 }
    var index = nextPatch
    while index < patches.count, patches[index].offset < end {
      for (number, byte) in patches[index].bytes.enumerated() {
        let place = patches[index].offset + number - block.offset
        if place >= 0, place < block.count { block.memory[place] = byte }
      }
      index += 1
    }
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    switch input {
    case .stored(let stored): return try stored.read(at: offset, into: buffer)
    case .stream(var source):
      defer { input = .stream(source) }
      return try source.read(into: buffer)
    }
  }

  /// Skips bytes.
  func skip(_ count: Int) { offset += count }

  /// Returns bytes of the last blocks; fewer than requested at their end.
  func bytes(at offset: Int, count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for block in blocks.sorted(by: { $0.offset < $1.offset }) {
      let start = offset + bytes.count - block.offset
      guard bytes.count < count, start >= 0, start < block.count else { continue }
      bytes += UnsafeRawBufferPointer(rebasing: block.memory[start..<min(block.count, start + count - bytes.count)])
    }
    return bytes
  }

  /// Returns a reader of all bytes from a place in the last blocks on.
  func rest(from offset: Int) -> ForwardReader {
    switch input {
    case .stream(let source): ForwardReader(source, prefix: bytes(at: offset, count: .max - offset), at: offset)
    case .stored(let stored): ForwardReader(StoredSource(stored, offset..<max(offset, stored.byteCount)), at: offset)
    }
  }
}
