import Platform

/// A moving mean of the bytes per second. At the start, it is the plain mean.
///
/// Bytes and seconds lose weight at the same pace: after ``memory``, they count about a third.
package struct RateEstimate {
  private var weighedBytes = 0.0
  private var weighedSeconds = 0.0
  private var last: (bytes: Int, time: ContinuousClock.Instant)
  /// How long the past counts, in seconds.
  private static let memory = 5.0
  /// The shortest time that says something, in seconds.
  private static let minimum = 0.2

  package init(from time: ContinuousClock.Instant) { last = (0, time) }

  /// - Parameter bytes: their number so far.
  package mutating func take(_ bytes: Int, at time: ContinuousClock.Instant) {
    let seconds = (time - last.time) / .seconds(1)
    guard seconds > 0 else { return }
    let weight = exp(-seconds / Self.memory)
    weighedBytes = weighedBytes * weight + Double(bytes - last.bytes)
    weighedSeconds = weighedSeconds * weight + seconds
    last = (bytes, time)
  }

  /// `nil` until there is something to estimate from.
  package var bytesPerSecond: Double? { weighedSeconds < Self.minimum ? nil : max(0, weighedBytes / weighedSeconds) }
}
