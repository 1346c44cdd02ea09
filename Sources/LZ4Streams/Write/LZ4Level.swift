/// The compression level: from 1, the fastest, to 12, the smallest, as in the `lz4` program.
///
/// From level 3 on, a slower search finds longer matches. Decompression is equally fast at all levels.
public struct LZ4Level: Sendable, Hashable {
  public let number: Int

  /// - Returns: `nil` if the number is not in ``numbers``.
  public init?(_ number: Int) {
    guard Self.numbers.contains(number) else { return nil }
    self.number = number
  }

  private init(known number: Int) { self.number = number }

  public static let numbers = 1...12
  public static let fastest = LZ4Level(known: 1)
  public static let smallest = LZ4Level(known: 12)
}
