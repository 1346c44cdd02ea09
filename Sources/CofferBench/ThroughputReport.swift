import ByteStreams
import Findings
package import Reports

/// The report: the document, the machine and the measurements.
package struct ThroughputReport: Sendable, Equatable {
  package let file: String
  package let survey: DocumentSurvey
  package let machine: Machine
  package let rounds: Int
  /// The measurements by step, then by number of workers.
  package let measurements: [Measurement]
  package var leftOut: [ThroughputPlan.LeftOut] = []

  /// Returns millions of bytes of the uncompressed document per second.
  func megabytesPerSecond(_ measurement: Measurement) -> Double? {
    measurement.perSecond(survey.bytes).map { $0 / 1e6 }
  }

  package func recordsPerSecond(_ measurement: Measurement) -> Double? { measurement.perSecond(survey.records) }

  /// Returns the speed relative to the first number of threads, or `nil` for that number itself, or if either was not measured.
  package func speedup(_ measurement: Measurement) -> Double? {
    let first = measurements.first { $0.figure.step == measurement.figure.step }
    return first?.figure == measurement.figure ? nil : ratio(of: first, to: measurement)
  }

  /// Returns the speed relative to the sqlite3 shell's equivalent, or `nil` if there is none or it was not measured.
  func ratioToShell(_ measurement: Measurement) -> Double? {
    guard let peer = measurement.figure.step.peer else { return nil }
    return ratio(of: measurements.first { $0.figure.step == peer }, to: measurement)
  }

  private func ratio(of slower: Measurement?, to faster: Measurement) -> Double? {
    guard let slow = slower?.seconds, let fast = faster.seconds, fast > 0 else { return nil }
    return min(slow / fast, 1e6)
  }

  /// True if a step failed for a reason other than the document's findings.
  package var hasFailures: Bool { measurements.contains { $0.failure?.isForFindings == false } }

  /// True if the document has findings of severity error.
  package var hasFindings: Bool { !survey.isValid || measurements.contains { $0.failure?.isForFindings == true } }
}

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

extension TextReport {
  /// Returns the report as a table: one row per step and number of workers.
  ///
  ///     a.json: ev-charging-tracker 9, 1,000,004,211 bytes, 3,012,345 records
  ///     Linux x86_64 with 2 processors
  ///
  ///       step      workers  seconds   MB/s  records/s  peak MiB  speedup
  ///       validate        1     4.50    222    669,000        31        –
  ///       validate        2     2.54    394  1,190,000        39     1.77
  ///
  /// Times are medians, with the fastest and slowest in parentheses if there are several. Rates have three significant digits.
  /// Columns of ratios appear only if they have values: the speed relative to the first number of workers, and to the sqlite3
  /// shell.
  package func text(of report: ThroughputReport) -> String {
    var text = "\(report.file.printable): \(Self.description(of: report.survey))\n"
    text += "\(report.machine.system.printable) with \(report.machine.processors.counted("processor"))"
    if report.rounds > 1 { text += "; \(report.rounds) rounds: median (fastest–slowest)" }
    text += "\n\n" + Self.table(of: report)
    let notes = Self.notes(on: report)
    return notes.isEmpty ? text : text + "\n" + notes.map { "  \($0)\n" }.joined()
  }

  private static func description(of survey: DocumentSurvey) -> String {
    var text = survey.format.map { "\($0)\(survey.version.map { " \($0)" } ?? ""), " } ?? ""
    if survey.kind != .json { text += "\(survey.storedBytes.counted("byte")) stored, " }
    text += survey.bytes.counted("byte")
    text += ", " + survey.records.counted("record")
    if let error = survey.error { return text.printable + "; not read completely: \(error.printable)" }
    return text.printable + (survey.isValid ? "" : survey.format == nil ? ", of unknown format" : ", with findings")
  }

  private static func table(of report: ThroughputReport) -> String {
    let ratios = [("speedup", report.speedup), ("× sqlite3", report.ratioToShell)].filter { _, ratio in
      report.measurements.contains { ratio($0) != nil }
    }
    var rows = [["step", "workers", "seconds", "MB/s", "records/s", "peak MiB"] + ratios.map(\.0)]
    for measurement in report.measurements {
      let start = [measurement.figure.step.rawValue, String(measurement.figure.jobs)]
      guard let peak = measurement.peakMemory else {
        rows.append(start + [measurement.failure?.reason ?? "not measured"])
        continue
      }
      rows.append(
        start + [
          seconds(of: measurement), report.megabytesPerSecond(measurement).map(rounded) ?? "–",
          report.recordsPerSecond(measurement).map(rounded) ?? "–", rounded(Double(peak) / 1_048_576),
        ] + ratios.map { $0.1(measurement).map(hundredths) ?? "–" })
    }
    // Rows without measurements don't affect the widths of columns.
    let widths = rows[0].indices.map { column in rows.filter { $0.count == rows[0].count }.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = "  " + row[0] + blanks(max(widths[0], 10) - row[0].count)
      for (column, cell) in row.enumerated().dropFirst() {
        let isReason = row.count < rows[0].count && column == 2
        line += "  " + (isReason ? "" : blanks(widths[column] - cell.count)) + cell
      }
      return line + "\n"
    }.joined()
  }

  private static func seconds(of measurement: Measurement) -> String {
    guard let median = measurement.seconds, let fastest = measurement.fastest, let slowest = measurement.slowest else {
      return "–"
    }
    if measurement.runs.count < 2 { return digits(median) }
    return "\(digits(median)) (\(digits(fastest))–\(digits(slowest)))"
  }

  private static func notes(on report: ThroughputReport) -> [String] {
    var (notes, said): ([String], Set<String>) = ([], [])
    for measurement in report.measurements {
      // The same message for several numbers of workers or later steps is shown only once.
      guard let failure = measurement.failure, !failure.message.isEmpty, said.insert(failure.message).inserted else { continue }
      notes.append("\(measurement.figure.step.rawValue): \(failure.reason): \(failure.message)")
    }
    return notes + report.leftOut.map { "\($0.step.rawValue) skipped: \($0.reason)" }
  }

  // MARK: Numbers

  /// Formats seconds: `4.50`, or `0.123` below one second.
  private static func digits(_ seconds: Double) -> String {
    let unit = seconds < 0.9995 ? 1000 : 100
    return decimal(seconds, unit)
  }

  /// `1.77`
  private static func hundredths(_ ratio: Double) -> String { decimal(ratio, 100) }

  private static func decimal(_ value: Double, _ unit: Int) -> String {
    let parts = Int((value * Double(unit)).rounded())
    return "\(parts / unit)." + String(unit + parts % unit).dropFirst()
  }

  /// Formats a rate: `1,190,000`, `222`, `3.1`. Numbers from 100 have three significant digits, numbers below ten one decimal
  /// place.
  static func rounded(_ value: Double) -> String {
    if value < 9.95 {
      let tenths = Int((value * 10).rounded())
      return "\(tenths / 10).\(tenths % 10)"
    }
    var (number, unit) = (Int(value.rounded()), 1)
    while number / unit >= 1000 { unit *= 10 }
    number = (number + unit / 2) / unit * unit
    return number.grouped
  }
}
