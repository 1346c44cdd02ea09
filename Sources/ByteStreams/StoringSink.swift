package import SystemPackage

/// A sink whose bytes can afterwards be read repeatedly (`StoredBytes`): in memory or, from 1 MiB, in an unnamed temporary file.
package struct StoringSink: ByteSink {
  enum Content {
    case memory([UInt8])
    case spilled(SpillFile, SpillFile.Chain)
  }

  private(set) var content = Content.memory([])
  /// The number of bytes written.
  package private(set) var byteCount = 0
  private let folder: FilePath
  private static let memoryLimit = 1 << 20

  /// - Parameter folder: the folder for the temporary file, if one is needed.
  package init(in folder: FilePath = SpillFile.defaultFolder) { self.folder = folder }

  /// - Throws: `notFound` or `permissionDenied` for the folder, `noSpace`, `inputOutput`.
  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    byteCount += bytes.count
    switch content {
    case .spilled(let file, let chain): try file.append(bytes, to: chain)
    case .memory(var held):
      // Keeps a single owner, so that the array is not copied.
      content = .memory([])
      held.append(contentsOf: bytes)
      content = byteCount < Self.memoryLimit ? .memory(held) : try Self.spill(held, folder)
    }
  }

  private static func spill(_ bytes: [UInt8], _ folder: FilePath) throws(CofferError) -> Content {
    let file = try SpillFile(in: folder, blockSize: memoryLimit, bufferSize: memoryLimit / 4)
    let chain = file.makeChain()
    var result: Result<Void, CofferError> = .success(())
    bytes.withUnsafeBytes { bytes in
      do throws(CofferError) { try file.append(bytes, to: chain) } catch { result = .failure(error) }
    }
    try result.get()
    return .spilled(file, chain)
  }
}
