import Testing

@testable import RuleDrafts

/// Sketches of sets whose members are numbered; the hash of a number is far from those of its neighbours.
@Suite struct ValueSketchTests {
  private static func hash(_ number: Int) -> UInt64 {
    var hash = UInt64(number + 1) &* 0x9E37_79B9_7F4A_7C15
    hash ^= hash >> 29
    hash = hash &* 0xBF58_476D_1CE4_E5B9
    return hash ^ hash >> 32
  }

  private static func sketch(of numbers: some Sequence<Int>) -> ValueSketch {
    var sketch = ValueSketch()
    for number in numbers { sketch.insert(hash(number)) }
    return sketch
  }

  @Test(arguments: [0, 1, 1000, 2047]) func `a small set is counted exactly`(_ count: Int) {
    let sketch = Self.sketch(of: Array(0..<count) + Array(0..<count))
    #expect(sketch.isWhole && sketch.distinctCount == count)
  }

  @Test(arguments: [5000, 100_000]) func `a large set is counted within a tenth`(_ count: Int) {
    let sketch = Self.sketch(of: 0..<count)
    #expect(!sketch.isWhole && abs(sketch.distinctCount - count) < count / 10)
  }

  @Test func `a settled sketch doesn't depend on the order of its values, nor on parts`() {
    let numbers = Array(0..<20_000)
    var whole = Self.sketch(of: numbers)
    var reversed = Self.sketch(of: numbers.reversed())
    var merged = ValueSketch()
    for start in stride(from: 0, to: 20_000, by: 700) {
      // A part begins with the threshold that is known.
      var part = ValueSketch(threshold: merged.threshold)
      for number in numbers[start..<min(start + 700, 20_000)] { part.insert(Self.hash(number)) }
      merged.merge(part)
    }
    whole.settle()
    reversed.settle()
    merged.settle()
    for other in [reversed, merged] {
      #expect(other.threshold == whole.threshold && other.count == whole.count && other.mayBeContained(in: whole))
    }
  }

  @Test(arguments: [10, 3000, 50_000]) func `a subset is never ruled out`(_ count: Int) {
    let all = Self.sketch(of: 0..<50_000)
    #expect(Self.sketch(of: (0..<count).map { $0 * 50_000 / count }).mayBeContained(in: all))
  }

  @Test(arguments: [(10, 50_000), (3000, 3000)]) func `most values outside the set are detected`(_ count: Int, _ size: Int) {
    let all = Self.sketch(of: 0..<size)
    #expect(!Self.sketch(of: size..<(size + 100 * count)).mayBeContained(in: all))
  }

  @Test func `hashes that are all small don't overflow the count`() {
    var sketch = ValueSketch()
    for hash in 1...5000 as ClosedRange<UInt64> { sketch.insert(hash) }
    #expect(sketch.distinctCount > 0)
  }
}
