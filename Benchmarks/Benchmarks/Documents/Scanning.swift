import Benchmark
import CByteScan

/// The speed of the structure scan: strings, brackets, commas, newlines, UTF-8. Uses this machine's kernel and the portable one.
func benchmarkScanning() {
  for (name, kernel) in [("Scan", COFFER_SCAN_BEST), ("Scan portably", COFFER_SCAN_PORTABLE)] {
    for (shape, size) in Workload.all {
      Benchmark(
        "\(name) \(shape.rawValue), \(size)", closure: { benchmark, workload in scan(benchmark, workload, kernel) },
        setup: { try Workload(shape, of: size, rules: .anything) })
    }
  }
}

private func scan(_ benchmark: Benchmark, _ workload: Workload, _ kernel: coffer_scan_kernel) {
  let clock = ContinuousClock()
  for _ in benchmark.scaledIterations {
    let seconds = clock.measure {
      var scan = coffer_scan()
      coffer_scan_start(&scan, kernel, 0)
      workload.document.withUnsafeBufferPointer { bytes in
        guard let base = bytes.baseAddress else { return }
        coffer_scan_blocks(&scan, base, bytes.count & ~(Int(COFFER_SCAN_BLOCK) - 1))
      }
      blackHole(scan.depth)
    }
    benchmark.note(workload, seconds: seconds / .seconds(1))
  }
}
