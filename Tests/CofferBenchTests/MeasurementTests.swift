import Testing

@testable import CofferBench

@Suite struct MeasurementTests {
  @Test(
    arguments: [
      ([2], 2), ([3, 1, 2], 2), ([1, 2], 1.5), ([9, 1, 3, 2], 2.5),
    ] as [([Double], Double)])
  func `times are medians`(seconds: [Double], median: Double) {
    let measurement = Measurement(Figure(.parse, jobs: 1), runs: seconds.map { .init(seconds: $0, peakMemory: 1) })
    #expect(measurement.seconds == median)
    #expect(measurement.fastest == seconds.min())
    #expect(measurement.slowest == seconds.max())
  }

  @Test func `peak memory is the maximum of all runs`() {
    let runs = [7, 9, 8].map { Measurement.Run(seconds: 1, peakMemory: $0) }
    #expect(Measurement(Figure(.export, jobs: 1), runs: runs).peakMemory == 9)
  }

  @Test func `a failed measurement has no figures`() {
    var measurement = Measurement(Figure(.merge, jobs: 2))
    measurement.add(.init(seconds: 1, peakMemory: 1))
    measurement.fail(.init(reason: "refused"))
    #expect(measurement.seconds == nil)
    #expect(measurement.peakMemory == nil)
    #expect(measurement.perSecond(100) == nil)
  }

  @Test(arguments: [(0.5, 100, 200), (0, 100, nil), (1e-300, .max, 1e15)] as [(Double, Int, Double?)])
  func `rates are finite`(seconds: Double, count: Int, rate: Double?) {
    let measurement = Measurement(Figure(.parse, jobs: 1), runs: [.init(seconds: seconds, peakMemory: 1)])
    #expect(measurement.perSecond(count) == rate)
  }

  @Test(arguments: [
    (Figure(.parse, jobs: 1), "parse, 1 worker"), (Figure(.import, jobs: 8), "import, 8 workers"),
  ])
  func `a figure is described by its step and workers`(figure: Figure, words: String) {
    #expect(figure.words == words)
  }
}
