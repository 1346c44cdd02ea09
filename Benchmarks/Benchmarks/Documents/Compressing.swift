import Benchmark
import Coffer

/// The speed of one thread that compresses a document to LZ4, or decodes such a stream and verifies that it is complete.
func benchmarkCompressing() {
  for (shape, size) in Workload.all {
    Benchmark("Compress \(shape.rawValue), \(size)", closure: compress) { try Workload(shape, of: size, rules: .anything) }
  }
  for (shape, size) in Workload.all {
    Benchmark("Decompress \(shape.rawValue), \(size)", closure: decompress) { try Compressed(shape, of: size) }
  }
}

/// A workload whose document is compressed before the measurement.
private struct Compressed {
  let workload: Workload
  let stream: [UInt8]

  init(_ shape: Shape, of size: Workload.Size) throws {
    workload = try Workload(shape, of: size, rules: .anything)
    var sink = MemorySink()
    _ = try Compressor().compress(MemorySource(workload.document), to: &sink)
    stream = sink.bytes
  }
}

private func compress(_ benchmark: Benchmark, _ workload: Workload) throws {
  var options = Compressor.Options()
  options.execution.jobs = 1
  let compressor = Compressor(options: options)
  let source = MemorySource(workload.document)
  var sink = CountingSink()
  benchmark.startMeasurement()
  let seconds = try ContinuousClock().measure { _ = try compressor.compress(source, to: &sink) }
  benchmark.stopMeasurement()
  precondition(sink.count < workload.document.count, "the document is compressed")
  benchmark.note(workload, seconds: seconds / .seconds(1))
}

private func decompress(_ benchmark: Benchmark, _ input: Compressed) throws {
  var options = Decompressor.Options()
  options.execution.jobs = 1
  let decompressor = Decompressor(options: options)
  let source = MemorySource(input.stream)
  var sink = CountingSink()
  benchmark.startMeasurement()
  let seconds = try ContinuousClock().measure { _ = try decompressor.decompress(source, to: &sink) }
  benchmark.stopMeasurement()
  precondition(sink.count == input.workload.document.count, "the document is whole")
  benchmark.note(input.workload, seconds: seconds / .seconds(1))
}
