public import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file or standard input, read from its descriptor in order.
public struct FileSource: ByteSource {
  private let owner: DescriptorOwner
  private let name: String

  /// Opens the file at `path` for reading.
  ///
  /// - Throws: `notFound`, `permissionDenied`, `isDirectory`, or `inputOutput`, with the path in the message.
  public init(path: FilePath) throws(ByteStreamError) {
    name = path.string
    do {
      owner = DescriptorOwner(try FileDescriptor.open(path, .readOnly, options: [.closeOnExec]), closes: true)
    } catch {
      throw ByteStreamError(error as? Errno ?? .ioError, verb: "open", name: path.string)
    }
    // A folder can be opened, too; only reading from it would fail.
    var information = stat()
    if fstat(owner.descriptor.rawValue, &information) == 0, information.st_mode & S_IFMT == S_IFDIR {
      throw ByteStreamError(.isDirectory, verb: "read", name: path.string)
    }
  }

  /// Standard input, which is not closed.
  public static var standardInput: FileSource { FileSource(descriptor: .standardInput, name: "standard input") }

  private init(descriptor: FileDescriptor, name: String) {
    self.name = name
    owner = DescriptorOwner(descriptor, closes: false)
  }

  public mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    do {
      return try owner.descriptor.read(into: buffer)
    } catch {
      throw ByteStreamError(error as? Errno ?? .ioError, verb: "read", name: name)
    }
  }
}
