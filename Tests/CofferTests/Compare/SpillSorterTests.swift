import TestSupport
import Testing

@testable import Coffer

@Suite struct SpillSorterTests {
  /// 40 bytes: with the least memory, about 68 elements make a run, and four runs are merged at a time.
  private struct Element: BitwiseCopyable, Comparable {
    var key: UInt64
    var number: Int
    var rest = (0, 0, 0)

    static func < (a: Element, b: Element) -> Bool { a.key != b.key ? a.key < b.key : a.number < b.number }
    static func == (a: Element, b: Element) -> Bool { a.key == b.key && a.number == b.number }
  }

  @Test(arguments: [0, 1, 67, 68, 69, 300, 5000, 20_000], [4096, 1 << 16, 1 << 24])
  func `elements come back in order with any amount of memory`(count: Int, memory: Int) throws {
    var random = SeededRandom(seed: UInt64(count))
    var sorter = SpillSorter<Element>(memory: memory, folder: SpillFile.defaultFolder)
    var expected: [Element] = []
    for number in 0..<count {
      let element = Element(key: random.next() % 500, number: number)
      expected.append(element)
      try sorter.append(element)
    }
    expected.sort()
    try sorter.finish()
    var found: [Element] = []
    while let element = try sorter.next() { found.append(element) }
    #expect(found == expected)
    #expect(sorter.count == count)
  }
}
