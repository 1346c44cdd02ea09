import Benchmark
import Coffer
import SyntheticBackups

/// How fast a backup in memory is read, and how fast it is validated.
///
/// The backup is the EV charging tracker's, of 32 MB, pretty as the app writes it or compact. It is generated, and the rules are compiled,
/// before anything is measured; an iteration is one pass.
let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock, .instructions, .peakMemoryResident, .megabytes, .events], maxDuration: .seconds(5))

  for (name, layout) in [("pretty", JSONEventWriter.Layout.pretty(indent: 2)), ("compact", .compact)] {
    // The rule `true` allows everything: what is left is reading (UTF-8, the grammar, events) and handing the events over.
    Benchmark("Read, \(name)", closure: validate) { try Workload(layout, rules: .anything) }
    Benchmark("Validate by every rule, \(name)", closure: validate) { try Workload(layout, rules: .everyRule) }
  }
}

private func validate(_ benchmark: Benchmark, _ workload: Workload) throws {
  var validator = workload.validator
  let source = MemorySource(workload.document)
  benchmark.startMeasurement()
  let report = try validator.validate(source, named: "backup.json")
  benchmark.stopMeasurement()
  precondition(report.isValid && report.bytes == workload.document.count, "the backup is sound")
  benchmark.measurement(.megabytes, Int(Double(report.bytes) / report.seconds / 1e6))
  benchmark.measurement(.events, Int(Double(workload.events) / report.seconds))
}

extension BenchmarkMetric {
  fileprivate static var megabytes: BenchmarkMetric { .custom("MB a second", polarity: .prefersLarger, useScalingFactor: false) }
  fileprivate static var events: BenchmarkMetric { .custom("Events a second", polarity: .prefersLarger, useScalingFactor: false) }
}
