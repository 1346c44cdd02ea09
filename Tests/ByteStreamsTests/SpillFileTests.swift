import ByteStreams
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite struct SpillFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func bytes(of chain: SpillFile.Chain, in file: SpillFile, pieceSize: Int = 100) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: pieceSize)
    while true {
      let count = try piece.withUnsafeMutableBytes { try file.read(chain, at: bytes.count, into: $0) }
      if count == 0 { return bytes }
      bytes += piece.prefix(count)
    }
  }

  private func append(_ bytes: [UInt8], to chain: SpillFile.Chain, of file: SpillFile) throws {
    try bytes.withUnsafeBytes { try file.append($0, to: chain) }
  }

  @Test(arguments: [(64, 64), (64, 16), (4096, 1024), (1 << 16, 1 << 13)])
  func `each chain returns the bytes written to it`(blockSize: Int, bufferSize: Int) throws {
    let file = try SpillFile(in: folder.path, blockSize: blockSize, bufferSize: bufferSize)
    var random = SystemRandomNumberGenerator()
    var expected = [[UInt8]](repeating: [], count: 9)
    let chains = expected.map { _ in file.makeChain() }
    for _ in 0..<2000 {
      // The last chain stays empty.
      let number = Int.random(in: 0..<8, using: &random)
      let piece = (0..<Int.random(in: 0...150)).map { _ in UInt8.random(in: 0...255, using: &random) }
      expected[number] += piece
      try append(piece, to: chains[number], of: file)
    }
    for (chain, expected) in zip(chains, expected) {
      #expect(try bytes(of: chain, in: file) == expected)
      #expect(try bytes(of: chain, in: file, pieceSize: 1 << 17) == expected)
    }
  }

  @Test func `reading can start at any offset`() throws {
    let file = try SpillFile(in: folder.path, blockSize: 32, bufferSize: 8)
    let chain = file.makeChain()
    let expected = (0..<100).map { UInt8($0) }
    try append(expected, to: chain, of: file)
    var piece: [UInt8] = [0]
    for offset in 0..<100 {
      let count = try piece.withUnsafeMutableBytes { try file.read(chain, at: offset, into: $0) }
      #expect(count == 1)
      #expect(piece[0] == expected[offset])
    }
  }

  @Test func `blocks of freed chains are reused`() throws {
    let file = try SpillFile(in: folder.path, blockSize: 64, bufferSize: 16)
    for round in 0..<10 {
      let chains = (0..<3).map { _ in file.makeChain() }
      for (number, chain) in chains.enumerated() {
        try append([UInt8](repeating: UInt8(round * 3 + number), count: 640), to: chain, of: file)
      }
      for (number, chain) in chains.enumerated() {
        #expect(try bytes(of: chain, in: file) == [UInt8](repeating: UInt8(round * 3 + number), count: 640))
        file.free(chain)
      }
    }
    #expect(file.blockCount == 30)
  }

  @Test func `data that fits into the buffers is never written to disk`() throws {
    let file = try SpillFile(in: folder.path)
    for _ in 0..<10 { try append([1, 2, 3], to: file.makeChain(), of: file) }
    #expect(file.blockCount == 0)
  }

  @Test func `a spill file has no name in its folder`() throws {
    let file = try SpillFile(in: folder.path)
    #expect(try folder.names == [])
    try append([UInt8](repeating: 1, count: 1 << 20), to: file.makeChain(), of: file)
    #expect(try folder.names == [])
  }

  @Test func `a missing folder is an error with its path`() throws {
    let missing = folder.path.appending("missing")
    let error = #expect(throws: CofferError.self) { _ = try SpillFile(in: missing) }
    #expect(error?.code == .notFound)
    #expect(error?.message == "cannot create a temporary file in \(missing): no such file or directory")
  }

  @Test func `the default folder is that of the environment or of the system`() {
    let expected = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
    #expect(SpillFile.defaultFolder == FilePath(expected.isEmpty ? "/tmp" : expected))
  }

  #if os(Linux)
    @Test func `writing to a full disk is a no-space error`() throws {
      // For writes, this device is always full.
      let descriptor = try FileDescriptor.open("/dev/full", .readWrite)
      let file = SpillFile(
        owner: DescriptorOwner(descriptor, closes: true), name: "a temporary file in /full", blockSize: 64, bufferSize: 16)
      let chain = file.makeChain()
      try append([UInt8](repeating: 1, count: 15), to: chain, of: file)
      let error = #expect(throws: CofferError.self) { try append([1], to: chain, of: file) }
      #expect(error?.code == .noSpace)
      #expect(error?.message == "cannot write a temporary file in /full: no space left on device")
    }
  #endif

  @Test func `reading a truncated spill file is an error`() throws {
    try folder.write("", to: "file")
    let descriptor = try FileDescriptor.open(folder.path.appending("file"), .readWrite)
    let file = SpillFile(owner: DescriptorOwner(descriptor, closes: true), name: "the file", blockSize: 64, bufferSize: 16)
    let chain = file.makeChain()
    try append([UInt8](repeating: 1, count: 640), to: chain, of: file)
    try descriptor.resize(to: 100)
    let error = #expect(throws: CofferError.self) { try bytes(of: chain, in: file) }
    #expect(error?.code == .inputOutput)
    #expect(error?.message == "cannot read the file: it no longer holds what was written")
  }

  @Test func `a write error of the descriptor is thrown`() throws {
    try folder.write("", to: "file")
    let descriptor = try FileDescriptor.open(folder.path.appending("file"), .readOnly)
    let file = SpillFile(owner: DescriptorOwner(descriptor, closes: true), name: "the file", blockSize: 64, bufferSize: 16)
    let error = #expect(throws: CofferError.self) {
      try append([UInt8](repeating: 1, count: 16), to: file.makeChain(), of: file)
    }
    #expect(error?.code == .inputOutput)
  }
}
