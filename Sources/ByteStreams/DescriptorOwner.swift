package import SystemPackage

/// The only owner of a file descriptor, which it closes on deinitialisation.
package final class DescriptorOwner: Sendable {
  package let descriptor: FileDescriptor
  private let closes: Bool

  package init(_ descriptor: FileDescriptor, closes: Bool) {
    self.descriptor = descriptor
    self.closes = closes
  }

  deinit {
    // Ignoring the error is safe: written data that matters was already synced (AtomicFile), and a file that was read loses
    // nothing.
    if closes { try? descriptor.close() }
  }
}
