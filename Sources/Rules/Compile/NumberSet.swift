/// The numbers that a value may equal.
package struct NumberSet: Sendable {
  /// Those that are 64-bit integers, in ascending order: nearly all are.
  private let integers: [Int64]
  private let others: Set<ExactDecimal>

  init(_ numbers: Set<ExactDecimal>) {
    integers = numbers.compactMap(\.int64).sorted()
    others = numbers.filter { $0.int64 == nil }
  }

  /// Returns true if a scalar, which must be a number, is one of them, regardless of spelling.
  func contains(_ scalar: Scalar) -> Bool {
    if scalar.isInteger { return contains(scalar.integer) }
    guard let decimal = ExactDecimal(scalar.text) else { return false }
    return decimal.int64.map(contains) ?? others.contains(decimal)
  }

  private func contains(_ integer: Int64) -> Bool {
    var range = integers.startIndex..<integers.endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if integers[middle] == integer { return true }
      range = integers[middle] < integer ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return false
  }
}
