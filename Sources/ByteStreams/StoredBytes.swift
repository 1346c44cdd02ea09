package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Bytes that can be read more than once, and from any place on: a regular file, memory, or what arrived as a stream and went to a temporary file.
///
/// A file is opened once: what is put in its place meanwhile is another one. Whoever changes its content is found out by ``checkUnchanged()``.
package final class StoredBytes {
  private enum Content {
    case file(DescriptorOwner, FileStamp)
    case memory([UInt8])
    case spilled(SpillFile, SpillFile.Chain)
  }

  private let content: Content
  package let name: String
  private let cancellation: Cancellation?
  package let byteCount: Int

  /// A regular file; `nil` if the path names something else, which can be read once.
  ///
  /// - Throws: `notFound`, `permissionDenied`, `isDirectory`.
  package init?(path: FilePath) throws(ByteStreamError) {
    // It says what is wrong with the path. What is no regular file must not be opened twice.
    var information = stat()
    if stat(path.string, &information) == 0, information.st_mode & S_IFMT != S_IFREG, information.st_mode & S_IFMT != S_IFDIR {
      return nil
    }
    _ = try FileSource(path: path)
    name = path.string
    cancellation = nil
    let descriptor: FileDescriptor
    do {
      descriptor = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec])
    } catch {
      throw ByteStreamError(error as? Errno ?? .ioError, verb: "open", name: path.string)
    }
    let owner = DescriptorOwner(descriptor, closes: true)
    guard let stamp = FileStamp(descriptor) else { return nil }
    content = .file(owner, stamp)
    byteCount = stamp.size
  }

  /// A regular file of which nothing has been read, whose reads end as those of `file` do when they are cancelled; `nil` of what can be read once.
  package init?(_ file: FileSource) {
    let descriptor = file.owner.descriptor
    guard lseek(descriptor.rawValue, 0, SEEK_CUR) == 0, let stamp = FileStamp(descriptor) else { return nil }
    name = file.name
    cancellation = file.cancellation
    content = .file(file.owner, stamp)
    byteCount = stamp.size
  }

  package init(_ bytes: [UInt8], named name: String) {
    self.name = name
    cancellation = nil
    content = .memory(bytes)
    byteCount = bytes.count
  }

  /// What was written to a sink.
  package init(_ sink: consuming StoringSink, named name: String, cancellation: Cancellation? = nil) {
    self.name = name
    self.cancellation = cancellation
    byteCount = sink.byteCount
    switch sink.content {
    case .memory(let bytes): content = .memory(bytes)
    case .spilled(let file, let chain): content = .spilled(file, chain)
    }
  }

  /// Copies all that a source has: into memory, or, if it has 1 MiB or more, into a temporary file without a name.
  package convenience init(
    copying source: any ByteSource, named name: String, in folder: FilePath = SpillFile.defaultFolder,
    cancellation: Cancellation? = nil
  ) throws(ByteStreamError) {
    var source = source
    var sink = StoringSink(in: folder)
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { piece.deallocate() }
    while true {
      if cancellation?.isRequested == true { throw ByteStreamError(code: .cancelled, message: "reading \(name) was cancelled") }
      let count = try source.read(into: piece)
      if count == 0 { break }
      try sink.write(UnsafeRawBufferPointer(rebasing: piece.prefix(count)))
    }
    self.init(sink, named: name, cancellation: cancellation)
  }

  /// Fills the front of `buffer` with the bytes from `offset` on and returns how many there were; 0 only at the end.
  package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    if cancellation?.isRequested == true { throw ByteStreamError(code: .cancelled, message: "reading \(name) was cancelled") }
    let rest = byteCount - offset
    guard rest > 0, !buffer.isEmpty else { return 0 }
    let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(rest))
    switch content {
    case .file(let owner, _):
      let count: Int
      do {
        count = try owner.descriptor.read(fromAbsoluteOffset: Int64(offset), into: wanted)
      } catch {
        throw ByteStreamError(error as? Errno ?? .ioError, verb: "read", name: name)
      }
      // It had more bytes when it was opened.
      if count == 0 { throw .changed(name) }
      return count
    case .memory(let bytes):
      bytes.withUnsafeBytes { wanted.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + wanted.count])) }
      return wanted.count
    case .spilled(let file, let chain):
      return try file.read(chain, at: offset, into: wanted)
    }
  }

  /// - Throws: `inputChanged` if the file's size or time is another one than it was when it was opened.
  package func checkUnchanged() throws(ByteStreamError) {
    guard case .file(let owner, let stamp) = content, FileStamp(owner.descriptor) != stamp else { return }
    throw .changed(name)
  }
}

/// Stored bytes from a place on to another, read in order.
package struct StoredSource: ByteSource {
  private let bytes: StoredBytes
  private var position: Int
  private let end: Int

  package init(_ bytes: StoredBytes, _ range: Range<Int>? = nil) {
    self.bytes = bytes
    position = range?.lowerBound ?? 0
    end = min(range?.upperBound ?? bytes.byteCount, bytes.byteCount)
  }

  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    guard position < end else { return 0 }
    let count = try bytes.read(at: position, into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(end - position)))
    position += count
    return count
  }
}
