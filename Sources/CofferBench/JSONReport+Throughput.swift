import JSONEvents
package import Reports

extension JSONReport {
  /// Returns the report as JSON, with a trailing newline.
  ///
  ///     {"formatVersion": 1, "file": "a.json", "format": "ev-charging-tracker", "version": 9, "valid": true, "error": null,
  ///       "kind": "json", "bytes": 1000004211, "storedBytes": 1000004211, "records": 3012345,
  ///       "machine": {"system": "Linux x86_64", "processors": 2}, "rounds": 1,
  ///       "measurements": [{"step": "validate", "jobs": 2, "seconds": 2.54, "fastest": 2.54, "slowest": 2.54,
  ///                         "bytesPerSecond": 393702445, "recordsPerSecond": 1185962, "peakMemory": 40894464,
  ///                         "speedup": 1.77, "ratioToSQLite": null,
  ///                         "runs": [{"seconds": 2.54, "peakMemory": 40894464}], "failure": null}],
  ///       "leftOut": [{"step": "convert", "reason": "an archive has no JSON layout"}]}
  ///
  /// `speedup` compares with the same step at the first number of jobs, `ratioToSQLite` with the sqlite3 shell's equivalent.
  /// `kind` is `json`, `lz4` or `zip`. `bytes` is the size of the uncompressed document, or of an archive's contents. A failed
  /// measurement has `null` for its figures, and `"failure": {"reason": …, "message": …}`.
  package func text(of report: ThroughputReport) -> String {
    document { writer in
      let survey = report.survey
      writer.member("file", report.file)
      writer.key("format")
      if let format = survey.format { writer.string(format) } else { writer.null() }
      writer.key("version")
      if let version = survey.version {
        if let number = Int64(version) { writer.integer(number) } else { writer.string(version) }
      } else {
        writer.null()
      }
      writer.key("valid")
      writer.boolean(survey.isValid)
      writer.key("error")
      if let error = survey.error { writer.string(error) } else { writer.null() }
      writer.member("kind", survey.kind.rawValue)
      writer.member("bytes", survey.bytes)
      writer.member("storedBytes", survey.storedBytes)
      writer.member("records", survey.records)
      writer.key("machine")
      writer.beginObject()
      writer.member("system", report.machine.system)
      writer.member("processors", report.machine.processors)
      writer.endObject()
      writer.member("rounds", report.rounds)
      writer.key("measurements")
      writer.beginArray()
      for measurement in report.measurements { write(measurement, of: report, to: &writer) }
      writer.endArray()
      writer.key("leftOut")
      writer.beginArray()
      for left in report.leftOut {
        writer.beginObject()
        writer.member("step", left.step.rawValue)
        writer.member("reason", left.reason)
        writer.endObject()
      }
      writer.endArray()
    }
  }

  private func write(_ measurement: Measurement, of report: ThroughputReport, to writer: inout JSONEventWriter) {
    writer.beginObject()
    writer.member("step", measurement.figure.step.rawValue)
    writer.member("jobs", measurement.figure.jobs)
    writer.member("seconds", rounding: measurement.seconds)
    writer.member("fastest", rounding: measurement.fastest)
    writer.member("slowest", rounding: measurement.slowest)
    writer.member("bytesPerSecond", measurement.perSecond(report.survey.bytes).map { Int($0.rounded()) })
    writer.member("recordsPerSecond", measurement.perSecond(report.survey.records).map { Int($0.rounded()) })
    writer.member("peakMemory", measurement.peakMemory)
    writer.member("speedup", rounding: report.speedup(measurement))
    writer.member("ratioToSQLite", rounding: report.ratioToShell(measurement))
    writer.key("runs")
    writer.beginArray()
    for run in measurement.runs {
      writer.beginObject()
      writer.member("seconds", rounding: run.seconds)
      writer.member("peakMemory", run.peakMemory)
      writer.endObject()
    }
    writer.endArray()
    writer.key("failure")
    if let failure = measurement.failure {
      writer.beginObject()
      writer.member("reason", failure.reason)
      writer.member("message", failure.message)
      writer.endObject()
    } else {
      writer.null()
    }
    writer.endObject()
  }
}

extension JSONEventWriter {
  fileprivate mutating func member(_ name: StaticString, _ number: Int?) {
    key(name)
    if let number { integer(Int64(number)) } else { null() }
  }

  /// Writes a number rounded to a millionth.
  fileprivate mutating func member(_ name: StaticString, rounding value: Double?) {
    key(name)
    if let value { number((value * 1e6).rounded() / 1e6) } else { null() }
  }
}
