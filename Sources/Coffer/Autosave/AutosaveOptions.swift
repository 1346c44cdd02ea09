/// When an ``Autosave`` saves, and how it repeats a save that has failed.
public struct AutosaveOptions: Sendable {
  /// The pause after a change before it is saved. Each further change begins it anew.
  public var delay = Duration.milliseconds(500)
  /// The longest time that a change waits while others follow it.
  public var longestDelay = Duration.seconds(5)
  /// The pause after a failed save. It doubles with each further failure.
  public var retryDelay = Duration.seconds(1)
  /// The longest such pause.
  public var longestRetryDelay = Duration.seconds(60)

  public init() {}

  /// The pause after this many failures in a row.
  func retryDelay(after failures: Int) -> Duration {
    min(longestRetryDelay, retryDelay * (1 << min(failures - 1, 30)))
  }
}
