import SystemPackage

/// A sink over an open descriptor, such as standard output. Unbuffered: hand over large pieces.
public struct FileSink: ByteSink {
  private let owner: DescriptorOwner
  private let name: String

  /// Standard output and standard error, which are not closed.
  public static var standardOutput: FileSink { FileSink(.standardOutput, name: "standard output") }
  public static var standardError: FileSink { FileSink(.standardError, name: "standard error") }

  private init(_ descriptor: FileDescriptor, name: String) {
    self.init(owner: DescriptorOwner(descriptor, closes: false), name: name)
  }

  package init(owner: DescriptorOwner, name: String) {
    self.owner = owner
    self.name = name
  }

  public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ByteStreamError) {
    do {
      _ = try owner.descriptor.writeAll(bytes)
    } catch {
      throw ByteStreamError(error as? Errno ?? .ioError, verb: "write", name: name)
    }
  }
}
