import Testing

@testable import CofferBench

@Suite struct LogarithmicScaleTests {
  @Test func eachPowerOfTenHasTheSameLength() {
    let scale = LogarithmicScale(of: [30, 4000], from: 100, to: 400)
    #expect(scale.decades == [10, 100, 1000, 10_000])
    #expect(scale.decades.map(scale.position) == [100, 200, 300, 400])
  }

  @Test func whatIsBeyondTheEndsStandsAtThem() {
    let scale = LogarithmicScale(of: [30, 40], from: 0, to: 90)
    #expect(scale.decades == [10, 100])
    #expect([0, 5, 100, 1e9].map(scale.position) == [0, 0, 90, 90])
  }

  /// Without values, with one that is a power of ten itself, and with none that has a logarithm.
  @Test(arguments: [[], [10], [0, 0]])
  func thereIsAlwaysAScale(values: [Double]) {
    #expect(LogarithmicScale(of: values, from: 0, to: 1).decades.count == 2)
  }
}
