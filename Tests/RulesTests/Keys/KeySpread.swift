import TestSupport

/// Distributions of keys in their range.
enum KeySpread: CaseIterable {
  case dense, descending, sparse, negative, strided, extreme

  func keys(_ count: Int, using random: inout SeededRandom) -> [Int64] {
    switch self {
    case .dense: (0..<count).map { Int64($0 * 3 / 4) }
    case .descending: (0..<count).map { Int64(1_000_000 - $0) }
    case .sparse: (0..<count).map { _ in Int64.random(in: .min ... .max, using: &random) }
    case .negative: (0..<count).map { _ in Int64.random(in: -2000...200, using: &random) }
    case .strided: (0..<count).map { Int64($0) << 32 }
    case .extreme:
      (0..<Int64(count)).map { (index: Int64) -> Int64 in index % 2 == 0 ? .min + index / 4 : .max - index / 4 }
    }
  }
}
