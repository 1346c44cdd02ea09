import Platform

/// A logarithmic scale: maps values to positions.
///
/// It ranges from the power of ten below the smallest value to the one above the largest.
struct LogarithmicScale {
  /// The start in pixels.
  let start: Double
  private let end: Double
  private let least: Int
  private let largest: Int

  /// - Parameter values: The values to cover. Values below 0.01 count as 0.01.
  init(of values: [Double], from start: Double, to end: Double) {
    self.start = start
    self.end = end
    let logarithms = values.map { log10(max($0, 0.01)) }
    let least = Int((logarithms.min() ?? 0).rounded(.down))
    self.least = least
    largest = max(least + 1, Int((logarithms.max() ?? 1).rounded(.up)))
  }

  /// The powers of ten on the scale.
  var decades: [Double] { (least...largest).map { pow(10, Double($0)) } }

  func position(of value: Double) -> Double {
    let share = (log10(max(value, 0.01)) - Double(least)) / Double(largest - least)
    return start + (end - start) * min(max(share, 0), 1)
  }
}
