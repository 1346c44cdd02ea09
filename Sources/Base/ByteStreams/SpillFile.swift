import Platform
package import SystemPackage

/// Data that does not fit into memory, in one unnamed temporary file: numbered chains of bytes, each appended to and read back in
/// order.
///
///     file     | block 0 | block 1 | block 2 | block 3 | …        64 KiB each
///     chain 0    blocks 0, 3 · the rest in its buffer
///     chain 1    block 1 · the rest in its buffer                 a chain that fits into its buffer never touches the disk
///     free       block 2                                          from a freed chain
///
/// No other process can open the file. It is gone when its descriptor is closed, however the process ends.
///
/// Memory: a buffer for each non-empty chain, and 4 bytes per block.
package final class SpillFile {
  /// A chain of one file.
  package struct Chain: Sendable {
    fileprivate let number: Int
  }

  private struct Content {
    var blocks: [UInt32] = []
    /// The number of bytes written to the blocks.
    var written = 0
    var buffer: [UInt8] = []
  }

  private let owner: DescriptorOwner
  private let name: String
  private let blockSize: Int
  private let bufferSize: Int
  private var contents: [Content] = []
  private var freeChains: [Int] = []
  private var freeBlocks: [UInt32] = []
  /// The number of blocks in the file, including free ones.
  package private(set) var blockCount = 0

  /// Creates the file.
  ///
  /// - Parameters:
  ///   - folder: the folder of the file; errors name it.
  ///   - bufferSize: the number of bytes of a chain that are buffered before they are written; a divisor of `blockSize`.
  /// - Throws: `notFound` or `permissionDenied` for the folder, `noSpace`, `inputOutput`.
  package convenience init(
    in folder: FilePath = SpillFile.defaultFolder, blockSize: Int = 1 << 16, bufferSize: Int = 1 << 13
  ) throws(CofferError) {
    self.init(owner: try Self.makeFile(in: folder), name: Self.name(in: folder), blockSize: blockSize, bufferSize: bufferSize)
  }

  /// - Parameter owner: an empty file that is open for reading and writing.
  package init(owner: DescriptorOwner, name: String, blockSize: Int, bufferSize: Int) {
    precondition(bufferSize > 0 && blockSize % bufferSize == 0, "the block size must be a multiple of the buffer size")
    self.owner = owner
    self.name = name
    self.blockSize = blockSize
    self.bufferSize = bufferSize
  }

  /// The folder in the environment variable `TMPDIR`, or `/tmp`.
  package static var defaultFolder: FilePath {
    guard let value = getenv("TMPDIR"), value.pointee != 0 else { return "/tmp" }
    return FilePath(platformString: value)
  }

  // MARK: Chains

  package func makeChain() -> Chain {
    if let number = freeChains.popLast() { return Chain(number: number) }
    contents.append(Content())
    return Chain(number: contents.count - 1)
  }

  /// Appends `bytes` to the chain.
  ///
  /// - Throws: `noSpace` or `inputOutput`. The content of the chain is then undefined.
  package func append(_ bytes: UnsafeRawBufferPointer, to chain: Chain) throws(CofferError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      if contents[chain.number].buffer.capacity == 0 { contents[chain.number].buffer.reserveCapacity(bufferSize) }
      let piece = rest.prefix(bufferSize - contents[chain.number].buffer.count)
      contents[chain.number].buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece))
      if contents[chain.number].buffer.count == bufferSize { try writeBuffer(of: chain) }
      rest = rest.dropFirst(piece.count)
    }
  }

  /// Fills the front of `buffer` with the chain's bytes from `offset` and returns their number: 0 only at the chain's end.
  package func read(
    _ chain: Chain, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(CofferError) -> Int {
    let written = contents[chain.number].written
    guard offset < written else {
      return contents[chain.number].buffer.withUnsafeBytes { held in
        let rest = held.dropFirst(offset - written).prefix(buffer.count)
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest))
        return rest.count
      }
    }
    let start = offset % blockSize
    let place = Int64(contents[chain.number].blocks[offset / blockSize]) * Int64(blockSize) + Int64(start)
    let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(min(blockSize - start, written - offset)))
    let count = try CofferError.trying("read", name) {
      try owner.descriptor.read(fromAbsoluteOffset: place, into: wanted)
    }
    if count == 0, !wanted.isEmpty { throw damaged }
    return count
  }

  /// Frees the chain; its blocks and its number are reused.
  package func free(_ chain: Chain) {
    freeBlocks += contents[chain.number].blocks
    contents[chain.number] = Content()
    freeChains.append(chain.number)
  }

  /// The error for content that differs from what was written.
  package var damaged: CofferError {
    CofferError(.inputOutput, "cannot read \(name): it no longer holds what was written")
  }

  private func writeBuffer(of chain: Chain) throws(CofferError) {
    let start = contents[chain.number].written % blockSize
    if start == 0 { contents[chain.number].blocks.append(try takeBlock()) }
    let block = contents[chain.number].blocks[contents[chain.number].written / blockSize]
    _ = try CofferError.trying("write", name) {
      try owner.descriptor.writeAll(
        toAbsoluteOffset: Int64(block) * Int64(blockSize) + Int64(start), contents[chain.number].buffer)
    }
    contents[chain.number].written += bufferSize
    contents[chain.number].buffer.removeAll(keepingCapacity: true)
  }

  private func takeBlock() throws(CofferError) -> UInt32 {
    if let block = freeBlocks.popLast() { return block }
    guard let block = UInt32(exactly: blockCount) else { throw CofferError(.fileTooLarge, verb: "write", name: name) }
    blockCount += 1
    return block
  }

  // MARK: The file

  private static func name(in folder: FilePath) -> String { "a temporary file in \(folder)" }

  /// Makes a file without a name, open for reading and writing.
  ///
  /// - Throws: `notFound` or `permissionDenied` for the folder, `noSpace`, `inputOutput`.
  package static func makeFile(in folder: FilePath) throws(CofferError) -> DescriptorOwner {
    #if os(Linux)
      // With O_EXCL, the unnamed file can't be linked to a name later.
      do {
        return DescriptorOwner(
          try FileDescriptor.open(
            folder, .readWrite, options: [.unnamed, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite),
          closes: true)
      } catch {
        // Some file systems and older kernels don't support it. If the folder is at fault, the next call reports that.
      }
    #endif
    var template = Array(folder.appending("coffer-XXXXXX").string.utf8CString)
    let descriptor = template.withUnsafeMutableBufferPointer { $0.baseAddress.map { mkstemp($0) } ?? -1 }
    if descriptor < 0 { throw CofferError(Errno(rawValue: errno), verb: "create", name: Self.name(in: folder)) }
    template.withUnsafeBufferPointer { _ = $0.baseAddress.map { unlink($0) } }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return DescriptorOwner(FileDescriptor(rawValue: descriptor), closes: true)
  }
}
