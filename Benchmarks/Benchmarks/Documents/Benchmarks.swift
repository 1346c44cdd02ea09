import Benchmark

/// The suites, one per file. All run over the same workloads: every shape, and also the app's own layout in a small document.
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
  static var megabytes: BenchmarkMetric { .custom("MB per second", polarity: .prefersLarger, useScalingFactor: false) }
  static var events: BenchmarkMetric { .custom("Events per second", polarity: .prefersLarger, useScalingFactor: false) }
}

extension Benchmark {
  /// Records the throughput of a pass over `workload` that took `seconds`.
  func note(_ workload: Workload, seconds: Double) {
    measurement(.megabytes, Int(Double(workload.document.count) / seconds / 1e6))
    measurement(.events, Int(Double(workload.events) / seconds))
  }
}
