import Platform
public import SystemPackage

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
    var information = stat()
    guard stat(path.string, &information) == 0 else { return nil }
    let type = information.st_mode & S_IFMT
    guard type == S_IFCHR || type == S_IFIFO else { return nil }
    do {
      owner = DescriptorOwner(try FileDescriptor.open(path, .writeOnly, options: [.closeOnExec]), closes: true)
    } catch {
      throw CofferError(error as? Errno ?? .ioError, verb: "write", name: path.string)
    }
    name = path.string
  }

  package init(owner: DescriptorOwner, name: String) {
    self.owner = owner
    self.name = name
  }

  public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    do {
      _ = try owner.descriptor.writeAll(bytes)
    } catch {
      throw CofferError(error as? Errno ?? .ioError, verb: "write", name: name)
    }
  }
}
