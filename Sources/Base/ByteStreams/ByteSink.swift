import Platform
public import SystemPackage

/// A destination of sequential bytes: a file, standard output, memory.
public protocol ByteSink {
  /// Writes all of `bytes`, or throws.
  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError)
}

extension ByteSink {
  /// Writes `text` as UTF-8.
  public mutating func write(_ text: String) throws(CofferError) {
    try write(Array(text.utf8))
  }

  /// Writes `bytes`.
  public mutating func write(_ bytes: [UInt8]) throws(CofferError) {
    try bytes.withUnsafeBufferPointer { bytes throws(CofferError) in try write(UnsafeRawBufferPointer(bytes)) }
  }
}

/// A sink that keeps the bytes in memory.
public struct MemorySink: ByteSink, Sendable {
  public private(set) var bytes: [UInt8] = []

  public init() {}

  public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    self.bytes.append(contentsOf: bytes)
  }
}

/// A sink that only counts bytes.
public struct CountingSink: ByteSink, Sendable {
  public private(set) var count = 0

  public init() {}

  public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    count += bytes.count
  }
}

/// A sink for an open descriptor, such as standard output. It is unbuffered: write large pieces.
public struct FileSink: ByteSink {
  private let owner: DescriptorOwner
  private let name: String

  /// Standard output and standard error, which are never closed.
  public static var standardOutput: FileSink { FileSink(StandardStreams.current.output, name: "standard output") }
  public static var standardError: FileSink { FileSink(StandardStreams.current.errors, name: "standard error") }

  private init(_ descriptor: FileDescriptor, name: String) {
    self.init(owner: DescriptorOwner(descriptor, closes: false), name: name)
  }

  /// Opens a device or a named pipe, which only accepts sequential writes. Returns `nil` if the path is something else or does
  /// not exist.
  ///
  /// Opening a named pipe waits for a reader.
  public init?(streamAt path: FilePath) throws(CofferError) {
    guard let type = try? path.stat().type, type == .characterSpecial || type == .fifo else { return nil }
    owner = try CofferError.trying("write", path.string) {
      DescriptorOwner(try FileDescriptor.open(path, .writeOnly, options: [.closeOnExec]), closes: true)
    }
    name = path.string
  }

  package init(owner: DescriptorOwner, name: String) {
    self.owner = owner
    self.name = name
  }

  public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    _ = try CofferError.trying("write", name) {
      try owner.descriptor.writeAll(bytes)
    }
  }
}

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
    try bytes.withUnsafeBufferPointer { bytes throws(CofferError) in try file.append(UnsafeRawBufferPointer(bytes), to: chain) }
    return .spilled(file, chain)
  }
}

/// The standard streams of a run: those of the process, or files opened by a test.
package struct StandardStreams: Sendable {
  package let input: FileDescriptor
  package let output: FileDescriptor
  package let errors: FileDescriptor

  /// The streams of the current task's or thread's run.
  ///
  /// A task-local value, because ArgumentParser parses a command and runs it without parameters.
  @TaskLocal package static var current = StandardStreams(
    input: .standardInput, output: .standardOutput, errors: .standardError)

  package init(input: FileDescriptor, output: FileDescriptor, errors: FileDescriptor) {
    self.input = input
    self.output = output
    self.errors = errors
  }

  /// True if these are the process's own streams.
  package var belongToProcess: Bool { output == .standardOutput }
}
