import Findings

/// The report for programs:
///
///     {"file": "a.json", "format": "ev-charging-tracker", "version": 9, "valid": true, "error": null,
///       "kind": "json", "bytes": 1000004211, "storedBytes": 1000004211, "records": 3012345,
///       "machine": {"system": "Linux x86_64", "processors": 2}, "rounds": 1,
///       "measurements": [{"step": "validate", "jobs": 2, "seconds": 2.54, "fastest": 2.54, "slowest": 2.54,
///                         "bytesPerSecond": 393702445, "recordsPerSecond": 1185962, "peakMemory": 40894464,
///                         "speedup": 1.77, "ratioToSQLite": null,
///                         "runs": [{"seconds": 2.54, "peakMemory": 40894464}], "failure": null}],
///       "leftOut": [{"step": "convert", "reason": "an archive has no JSON layout"}]}
///
/// `speedup` compares with the same step at the first number of jobs, `ratioToSQLite` with the sqlite3 shell's equivalent. `kind`
/// is `json`, `lz4`, `gzip`, `zstd` or `zip`. `bytes` is the size of the uncompressed document, or of an archive's contents. A
/// failed measurement has `null` for its figures, and `"failure": {"reason": …, "message": …}`.
extension ThroughputReport: Encodable {
  package func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "file": file, "format": survey.format, "version": survey.version.map(ReportedVersion.init), "valid": survey.isValid,
      "error": survey.error, "kind": survey.kind.rawValue, "bytes": survey.bytes, "storedBytes": survey.storedBytes,
      "records": survey.records, "machine": machine, "rounds": rounds, "measurements": measurements.map(members),
      "leftOut": leftOut,
    ])
  }

  private func members(of measurement: Measurement) -> ReportMembers {
    [
      "step": measurement.figure.step, "jobs": measurement.figure.jobs, "seconds": measurement.seconds?.millionths,
      "fastest": measurement.fastest?.millionths, "slowest": measurement.slowest?.millionths,
      "bytesPerSecond": measurement.perSecond(survey.bytes).map { Int($0.rounded()) },
      "recordsPerSecond": measurement.perSecond(survey.records).map { Int($0.rounded()) },
      "peakMemory": measurement.peakMemory, "speedup": speedup(measurement)?.millionths,
      "ratioToSQLite": ratioToShell(measurement)?.millionths,
      "runs": measurement.runs.map { ["seconds": $0.seconds.millionths, "peakMemory": $0.peakMemory] as ReportMembers },
      "failure": measurement.failure,
    ]
  }
}

extension Double {
  /// The number rounded to a millionth.
  fileprivate var millionths: Double { (self * 1e6).rounded() / 1e6 }
}
