import ByteStreams

extension Cancellation? {
  /// Throws `CancellationError` if cancellation was requested.
  package func check() throws {
    if self?.isRequested == true { throw CancellationError() }
  }

  /// Runs `body`. If it throws after cancellation was requested (for example because a source stopped waiting), throws
  /// `CancellationError` instead.
  package func watch<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch {
      try check()
      throw error
    }
  }
}
