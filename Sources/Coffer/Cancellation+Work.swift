import ByteStreams

extension Cancellation? {
  func check() throws {
    if self?.isRequested == true { throw CancellationError() }
  }

  /// Does some work: once the cancellation is requested, whatever ends it (a source that no longer waits, say) is a `CancellationError`.
  func watch<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch {
      try check()
      throw error
    }
  }
}
