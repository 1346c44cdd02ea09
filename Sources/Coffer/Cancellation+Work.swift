import ByteStreams

extension Cancellation? {
  /// Throws `CancellationError` once it is requested.
  package func check() throws {
    if self?.isRequested == true { throw CancellationError() }
  }

  /// Does some work: once the cancellation is requested, whatever ends it (a source that no longer waits, say) is a `CancellationError`.
  package func watch<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch {
      try check()
      throw error
    }
  }
}
