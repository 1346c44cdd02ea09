import Platform
import SystemPackage

/// Bytes that can be read repeatedly and from any offset: a regular file, a file of a `RangeServer`, memory, or a stream copied to a
/// temporary file.
///
/// A file is opened once, so that replacing it has no effect. ``checkUnchanged()`` detects modification in place.
package final class StoredBytes {
  private enum Content {
    case file(DescriptorOwner, FileStamp)
    case served(RangeServer, version: String)
    case memory([UInt8])
    case spilled(SpillFile, SpillFile.Chain)
  }

  private let content: Content
  package let name: String
  private let cancellation: Cancellation?
  private let progress: WorkProgress?
  package let byteCount: Int
  /// The number of bytes that were read already, to copy them.
  private var copiedByteCount = 0

  /// Uses a regular file that has not been read yet, with the cancellation of `file`. Returns `nil` if it can only be read once.
  package init?(_ file: FileSource, progress: WorkProgress? = nil) {
    let descriptor = file.owner.descriptor
    guard lseek(descriptor.rawValue, 0, SEEK_CUR) == 0, let stamp = file.stamp else { return nil }
    name = file.name
    cancellation = file.cancellation
    self.progress = progress
    content = .file(file.owner, stamp)
    byteCount = stamp.size
  }

  /// Uses a file of a server.
  package init(_ name: String, of server: RangeServer, _ execution: Execution) throws(CofferError) {
    let status = try server.status(of: name)
    self.name = name
    cancellation = execution.cancellation
    progress = execution.progress
    content = .served(server, version: status.version)
    byteCount = status.size
  }

  package init(_ bytes: [UInt8], named name: String, progress: WorkProgress? = nil) {
    self.name = name
    cancellation = nil
    self.progress = progress
    content = .memory(bytes)
    byteCount = bytes.count
  }

  /// Takes over the bytes written to a sink.
  package init(
    _ sink: consuming StoringSink, named name: String, cancellation: Cancellation? = nil, progress: WorkProgress? = nil
  ) {
    self.name = name
    self.cancellation = cancellation
    self.progress = progress
    byteCount = sink.byteCount
    switch sink.content {
    case .memory(let bytes): content = .memory(bytes)
    case .spilled(let file, let chain): content = .spilled(file, chain)
    }
  }

  /// Stores the bytes of a source that has not been read yet: a regular file and memory are used in place; anything else is
  /// copied, to memory or, from 1 MiB, to an unnamed temporary file. Devices are refused, because they may have no end.
  ///
  /// The progress of `execution` counts all reads, and the copying.
  package static func storing(
    _ source: any ByteSource, named name: String, _ execution: Execution = Execution()
  ) throws(CofferError) -> StoredBytes {
    let progress = execution.progress
    if let stored = (source as? FileSource).flatMap({ StoredBytes($0, progress: progress) }) { return stored }
    if let bytes = (source as? MemorySource)?.unread { return StoredBytes(bytes, named: name, progress: progress) }
    return try StoredBytes(copying: source, named: name, execution)
  }

  private convenience init(
    copying source: any ByteSource, named name: String, _ execution: Execution
  ) throws(CofferError) {
    let isDevice = (source as? FileSource)?.isDevice ?? false
    var source = source.metered(by: execution.progress)
    let cancellation = execution.cancellation
    var sink = StoringSink(in: execution.temporaryFolder)
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { piece.deallocate() }
    while true {
      if cancellation?.isRequested == true { throw CofferError(.cancelled, "reading \(name) was cancelled") }
      let count = try source.read(into: piece)
      if count == 0 { break }
      if isDevice { throw CofferError(.inputOutput, "\(name) is a device, which may have no end: it can't be stored") }
      try sink.write(UnsafeRawBufferPointer(rebasing: piece.prefix(count)))
    }
    self.init(sink, named: name, cancellation: cancellation, progress: execution.progress)
    copiedByteCount = byteCount
  }

  /// Fills the front of `buffer` with the bytes from `offset` and returns their number: 0 only at the end.
  package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    if cancellation?.isRequested == true { throw CofferError(.cancelled, "reading \(name) was cancelled") }
    let rest = byteCount - offset
    guard rest > 0, !buffer.isEmpty else { return 0 }
    let count = try fill(UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(rest)), from: offset)
    progress?.add(bytes: count)
    return count
  }

  private func fill(_ wanted: UnsafeMutableRawBufferPointer, from offset: Int) throws(CofferError) -> Int {
    switch content {
    case .file(let owner, _):
      let count = try CofferError.trying("read", name) {
        try owner.descriptor.read(fromAbsoluteOffset: Int64(offset), into: wanted)
      }
      // The file was longer when it was opened.
      if count == 0 { throw .changed(name) }
      return count
    case .served(let server, _):
      let count = try server.read(name, at: offset, into: wanted)
      if count == 0 { throw .changed(name) }
      return count
    case .memory(let bytes):
      bytes.withUnsafeBytes { wanted.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + wanted.count])) }
      return wanted.count
    case .spilled(let file, let chain):
      return try file.read(chain, at: offset, into: wanted)
    }
  }

  private init(unmetered other: StoredBytes) {
    content = other.content
    name = other.name
    cancellation = other.cancellation
    progress = nil
    byteCount = other.byteCount
  }

  /// The same bytes, of which no progress counts what is read.
  package var unmetered: StoredBytes { StoredBytes(unmetered: self) }

  /// True if a progress counts what is read.
  package var isMetered: Bool { progress != nil }

  /// Returns the number of bytes that a progress counts if they are read this many times.
  package func byteCount(ofPasses passes: Int) -> Int { copiedByteCount &+ passes &* byteCount }

  /// - Throws: `inputChanged` if the file's size or modification time, or the version that its server gives, has changed since it
  ///   was opened.
  package func checkUnchanged() throws(CofferError) {
    let isChanged =
      switch content {
      case .file(let owner, let stamp): FileStamp(owner.descriptor) != stamp
      case .served(let server, let version): try server.status(of: name).version != version
      case .memory, .spilled: false
      }
    if isChanged { throw .changed(name) }
  }
}

/// A range of stored bytes, read in order.
package struct StoredSource: ByteSource {
  private let bytes: StoredBytes
  private var position: Int
  private let end: Int

  package init(_ bytes: StoredBytes, _ range: Range<Int>? = nil) {
    self.bytes = bytes
    position = range?.lowerBound ?? 0
    end = min(range?.upperBound ?? bytes.byteCount, bytes.byteCount)
  }

  /// The bytes, if they are read from their start to their end, and nothing has been read yet.
  package var unread: StoredBytes? { position == 0 && end == bytes.byteCount ? bytes : nil }

  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    guard position < end else { return 0 }
    let count = try bytes.read(at: position, into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(end - position)))
    position += count
    return count
  }

  /// Skips at most `count` bytes, and returns how many there were.
  mutating func skip(_ count: Int) -> Int {
    let part = min(count, max(0, end - position))
    position += part
    return part
  }
}
