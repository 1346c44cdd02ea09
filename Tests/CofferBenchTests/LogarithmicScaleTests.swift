import Testing

@testable import CofferBench

@Suite struct LogarithmicScaleTests {
  @Test func `each power of ten has the same length`() {
    let scale = LogarithmicScale(of: [30, 4000], from: 100, to: 400)
    #expect(scale.decades == [10, 100, 1000, 10_000])
    #expect(scale.decades.map(scale.position) == [100, 200, 300, 400])
  }

  @Test func `values beyond the ends are placed at the ends`() {
    let scale = LogarithmicScale(of: [30, 40], from: 0, to: 90)
    #expect(scale.decades == [10, 100])
    #expect([0, 5, 100, 1e9].map(scale.position) == [0, 0, 90, 90])
  }

  /// No values, a power of ten, and values without a logarithm.
  @Test(arguments: [[], [10], [0, 0]])
  func `any values have a scale of at least one decade`(values: [Double]) {
    #expect(LogarithmicScale(of: values, from: 0, to: 1).decades.count == 2)
  }
}
