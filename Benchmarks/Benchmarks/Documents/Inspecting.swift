import Benchmark
import Coffer

/// The speed of an inspection without validation: counts of records, their dates and unknown members.
func benchmarkInspecting() {
  for (shape, size) in Workload.all {
    Benchmark("Inspect \(shape.rawValue), \(size)", closure: inspect) { try Workload(shape, of: size, rules: .everyRule) }
  }
}

/// One pass of an inspector over a workload's document.
private func inspect(_ benchmark: Benchmark, _ workload: Workload) throws {
  var options = InspectionOptions(now: Instant(seconds: 1_782_900_000))
  options.execution.jobs = 1
  let inspector = Inspector(workload.rules, options: options)
  let source = MemorySource(workload.document)
  benchmark.startMeasurement()
  var inspection = Inspection(file: "")
  let seconds = try ContinuousClock().measure { inspection = try inspector.inspect(source, named: "document.json") }
  benchmark.stopMeasurement()
  precondition(inspection.error == nil && inspection.documentBytes == workload.document.count, "the document is valid")
  benchmark.note(workload, seconds: seconds / .seconds(1))
}
