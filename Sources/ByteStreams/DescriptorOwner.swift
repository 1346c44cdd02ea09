package import SystemPackage

/// The one owner of a file descriptor: closes it when it goes.
package final class DescriptorOwner: Sendable {
  package let descriptor: FileDescriptor
  private let closes: Bool

  package init(_ descriptor: FileDescriptor, closes: Bool) {
    self.descriptor = descriptor
    self.closes = closes
  }

  deinit {
    // The data has been synced where it matters (AtomicFile); a failing close of a file that was read loses nothing.
    if closes { try? descriptor.close() }
  }
}
