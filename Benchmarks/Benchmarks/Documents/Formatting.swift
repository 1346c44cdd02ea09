import Benchmark
import Coffer

/// The speed of writing a document in another layout or with sorted members: read, checked and formatted.
func benchmarkFormatting() {
  var compact = ConversionOptions()
  compact.execution.jobs = 1
  var pretty = compact
  pretty.layout = .pretty(indent: 2)
  var sorted = compact
  sorted.sortsKeys = true
  for (name, options) in [("Compact", compact), ("Indent", pretty), ("Sort", sorted)] {
    for (shape, size) in Workload.all {
      Benchmark(
        "\(name) \(shape.rawValue), \(size)", closure: { benchmark, workload in try format(benchmark, workload, options) },
        setup: { try Workload(shape, of: size, rules: .anything) })
    }
  }
}

/// One conversion of a workload's document.
private func format(_ benchmark: Benchmark, _ workload: Workload, _ options: ConversionOptions) throws {
  let converter = Converter(options: options)
  let source = MemorySource(workload.document)
  var sink = CountingSink()
  benchmark.startMeasurement()
  let seconds = try ContinuousClock().measure { _ = try converter.convert(source, to: &sink) }
  benchmark.stopMeasurement()
  precondition(sink.count > 0, "the document is written")
  benchmark.note(workload, seconds: seconds / .seconds(1))
}
