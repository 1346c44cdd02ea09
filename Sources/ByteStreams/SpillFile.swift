package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What does not fit into memory, in one temporary file that has no name: numbered chains of bytes, each appended to and read back in order.
///
///     file     | block 0 | block 1 | block 2 | block 3 | …        64 KiB each
///     chain 0    blocks 0, 3 · the rest in its buffer
///     chain 1    block 1 · the rest in its buffer                 a chain that fits into its buffer never touches the disk
///     free       block 2                                          of a chain that was freed
///
/// Nobody else can open the file, and it is gone when its descriptor is closed, however the process ends.
///
/// Memory: a buffer for each chain that holds something, and 4 bytes a block.
package final class SpillFile {
  /// Names a chain of one file.
  package struct Chain: Sendable {
    fileprivate let number: Int
  }

  private struct Content {
    var blocks: [UInt32] = []
    /// How much of it stands in the blocks.
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
  /// How many blocks the file has come to hold, free ones included.
  package private(set) var blockCount = 0

  /// Makes the file.
  ///
  /// - Parameters:
  ///   - folder: where it lies; its name stands in errors.
  ///   - bufferSize: how many bytes of a chain are gathered before they are written; a divisor of `blockSize`.
  /// - Throws: `notFound` or `permissionDenied` for the folder, `noSpace`, `inputOutput`.
  package convenience init(
    in folder: FilePath = SpillFile.defaultFolder, blockSize: Int = 1 << 16, bufferSize: Int = 1 << 13
  ) throws(ByteStreamError) {
    let name = "a temporary file in \(folder)"
    self.init(owner: try Self.makeFile(in: folder, name: name), name: name, blockSize: blockSize, bufferSize: bufferSize)
  }

  /// - Parameter owner: an empty file, open for reading and writing.
  package init(owner: DescriptorOwner, name: String, blockSize: Int, bufferSize: Int) {
    precondition(bufferSize > 0 && blockSize % bufferSize == 0, "a block holds whole buffers")
    self.owner = owner
    self.name = name
    self.blockSize = blockSize
    self.bufferSize = bufferSize
  }

  /// The folder that the environment names for temporary files, else `/tmp`.
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

  /// Adds `bytes` at the chain's end.
  ///
  /// - Throws: `noSpace` or `inputOutput`. What the chain holds is then unknown.
  package func append(_ bytes: UnsafeRawBufferPointer, to chain: Chain) throws(ByteStreamError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      if contents[chain.number].buffer.capacity == 0 { contents[chain.number].buffer.reserveCapacity(bufferSize) }
      let piece = rest.prefix(bufferSize - contents[chain.number].buffer.count)
      contents[chain.number].buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece))
      if contents[chain.number].buffer.count == bufferSize { try writeBuffer(of: chain) }
      rest = rest.dropFirst(piece.count)
    }
  }

  /// Fills the front of `buffer` with the chain's bytes from `offset` on and returns how many there were; 0 only at the chain's end.
  package func read(
    _ chain: Chain, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ByteStreamError) -> Int {
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
    let count: Int
    do {
      count = try owner.descriptor.read(fromAbsoluteOffset: place, into: wanted)
    } catch {
      throw ByteStreamError(error as? Errno ?? .ioError, verb: "read", name: name)
    }
    if count == 0, !wanted.isEmpty { throw damaged }
    return count
  }

  /// Forgets the chain; its blocks and its number serve others from now on.
  package func free(_ chain: Chain) {
    freeBlocks += contents[chain.number].blocks
    contents[chain.number] = Content()
    freeChains.append(chain.number)
  }

  /// The error for content that is not what was written.
  package var damaged: ByteStreamError {
    ByteStreamError(code: .inputOutput, message: "cannot read \(name): it no longer holds what was written")
  }

  private func writeBuffer(of chain: Chain) throws(ByteStreamError) {
    let start = contents[chain.number].written % blockSize
    if start == 0 { contents[chain.number].blocks.append(try takeBlock()) }
    let block = contents[chain.number].blocks[contents[chain.number].written / blockSize]
    do {
      _ = try owner.descriptor.writeAll(
        toAbsoluteOffset: Int64(block) * Int64(blockSize) + Int64(start), contents[chain.number].buffer)
    } catch {
      throw ByteStreamError(error as? Errno ?? .ioError, verb: "write", name: name)
    }
    contents[chain.number].written += bufferSize
    contents[chain.number].buffer.removeAll(keepingCapacity: true)
  }

  private func takeBlock() throws(ByteStreamError) -> UInt32 {
    if let block = freeBlocks.popLast() { return block }
    guard let block = UInt32(exactly: blockCount) else { throw ByteStreamError(.fileTooLarge, verb: "write", name: name) }
    blockCount += 1
    return block
  }

  // MARK: The file

  private static func makeFile(in folder: FilePath, name: String) throws(ByteStreamError) -> DescriptorOwner {
    #if os(Linux)
      // O_EXCL: it has no name, and can be given none.
      do {
        return DescriptorOwner(
          try FileDescriptor.open(
            folder, .readWrite, options: [.unnamed, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite),
          closes: true)
      } catch {
        // Some file systems, and older kernels, have none; the folder itself may be at fault too, which shows next.
      }
    #endif
    var template = Array(folder.appending("coffer-XXXXXX").string.utf8CString)
    let descriptor = template.withUnsafeMutableBufferPointer { $0.baseAddress.map { mkstemp($0) } ?? -1 }
    if descriptor < 0 { throw ByteStreamError(Errno(rawValue: errno), verb: "create", name: name) }
    template.withUnsafeBufferPointer { _ = $0.baseAddress.map { unlink($0) } }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return DescriptorOwner(FileDescriptor(rawValue: descriptor), closes: true)
  }
}
