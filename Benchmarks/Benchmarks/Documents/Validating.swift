import Benchmark
import Coffer

/// The speed of validation: a backup against every rule of its format, another shape against rules for all its values.
func benchmarkValidating() {
  for (shape, size) in Workload.all {
    Benchmark("Validate \(shape.rawValue), \(size)", closure: validate) { try Workload(shape, of: size, rules: .everyRule) }
  }
}

/// One pass of a workload's validator over its document.
func validate(_ benchmark: Benchmark, _ workload: Workload) throws {
  let validator = workload.validator
  let source = MemorySource(workload.document)
  benchmark.startMeasurement()
  let report = try validator.validate(source, named: "document.json")
  benchmark.stopMeasurement()
  precondition(report.isValid && report.bytes == workload.document.count, "the document is valid")
  benchmark.note(workload, seconds: report.seconds)
}
