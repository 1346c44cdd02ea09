import Benchmark

/// The suites, one a file. Each runs over the same workloads: every shape, and the app's own layout in a small document, too.
let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock, .instructions, .peakMemoryResident, .megabytes, .events], maxDuration: .seconds(2))

  benchmarkScanning()
  benchmarkReading()
  benchmarkValidating()
  benchmarkInspecting()
  benchmarkFormatting()
  benchmarkCompressing()
}

extension BenchmarkMetric {
  static var megabytes: BenchmarkMetric { .custom("MB a second", polarity: .prefersLarger, useScalingFactor: false) }
  static var events: BenchmarkMetric { .custom("Events a second", polarity: .prefersLarger, useScalingFactor: false) }
}

extension Benchmark {
  /// Notes what a second is enough for, after a pass over `workload` that took `seconds`.
  func note(_ workload: Workload, seconds: Double) {
    measurement(.megabytes, Int(Double(workload.document.count) / seconds / 1e6))
    measurement(.events, Int(Double(workload.events) / seconds))
  }
}
