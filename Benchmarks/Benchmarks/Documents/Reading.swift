import Benchmark

/// The speed of reading a document: UTF-8, the grammar, and events, which the rule `true` only receives.
func benchmarkReading() {
  for (shape, size) in Workload.all {
    Benchmark("Read \(shape.rawValue), \(size)", closure: validate) { try Workload(shape, of: size, rules: .anything) }
  }
}
