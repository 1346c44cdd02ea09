import Benchmark

/// How fast a document is read: UTF-8, the grammar, events, and handing the events over, for the rule `true` allows everything.
func benchmarkReading() {
  for (shape, size) in Workload.all {
    Benchmark("Read \(shape.rawValue), \(size)", closure: validate) { try Workload(shape, of: size, rules: .anything) }
  }
}
