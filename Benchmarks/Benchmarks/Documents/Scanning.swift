import Benchmark
import CByteScan

/// The speed of the structure scan: strings, brackets, commas, newlines, UTF-8; and of the scan of a range, whose start may be in a
/// string or not. Uses this machine's kernel and the portable one.
func benchmarkScanning() {
  for (name, kernel) in [("", COFFER_SCAN_BEST), (" portably", COFFER_SCAN_PORTABLE)] {
    for (shape, size) in Workload.all {
      Benchmark(
        "Scan\(name) \(shape.rawValue), \(size)", closure: { benchmark, workload in scan(benchmark, workload, kernel) },
        setup: { try Workload(shape, of: size, rules: .anything) })
      Benchmark(
        "Scan a range\(name) of \(shape.rawValue), \(size)",
        closure: { benchmark, workload in scanRange(benchmark, workload, kernel) },
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

/// Scans the second half, which begins anywhere but after a backslash.
private func scanRange(_ benchmark: Benchmark, _ workload: Workload, _ kernel: coffer_scan_kernel) {
  let clock = ContinuousClock()
  let later = workload.document.indices.dropFirst(workload.document.count / 2)
  guard let half = later.first(where: { workload.document[$0 - 1] != UInt8(ascii: "\\") }) else { return }
  for _ in benchmark.scaledIterations {
    let seconds = clock.measure {
      var range = coffer_range()
      coffer_range_start(&range, kernel)
      workload.document.withUnsafeBufferPointer { bytes in
        guard let base = bytes.baseAddress else { return }
        coffer_range_blocks(&range, base + half, (bytes.count - half) & ~(Int(COFFER_SCAN_BLOCK) - 1))
      }
      blackHole(range.end.bytes)
    }
    // The throughput is of the whole document.
    benchmark.note(workload, seconds: 2 * (seconds / .seconds(1)))
  }
}
