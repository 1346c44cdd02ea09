@testable import CofferBench

extension ThroughputReport {
  static let machine = Machine(system: "Linux x86_64", processors: 2)

  private static func measured(_ step: Step, _ jobs: Int, _ seconds: [Double], mebibytes: Int) -> Measurement {
    Measurement(Figure(step, jobs: jobs), runs: seconds.map { .init(seconds: $0, peakMemory: mebibytes << 20) })
  }

  /// A report with two numbers of workers, three rounds, and a failed step.
  static let sample = ThroughputReport(
    file: "a<b>.json",
    survey: DocumentSurvey(
      kind: .lz4, storedBytes: 170_000_000, bytes: 1_000_004_211, records: 3_012_345, format: "ev-charging-tracker", version: "9",
      isValid: true),
    machine: machine, rounds: 3,
    measurements: [
      measured(.validate, 1, [4.5, 4.4, 4.7], mebibytes: 33), measured(.validate, 2, [2.5, 2.5, 2.6], mebibytes: 39),
      measured(.decompress, 2, [0.12, 0.11, 0.13], mebibytes: 37),
      Measurement(Figure(.import, jobs: 2), failure: .init(reason: "refused", message: "the disk is full")),
      Measurement(Figure(.merge, jobs: 2), failure: .init(reason: "no database", message: "the disk is full")),
      measured(.export, 2, [100, 99.5, 130], mebibytes: 9),
    ])

  /// A report with one and two workers, and with the sqlite3 shell.
  static let compared = ThroughputReport(
    file: "a.json", survey: sample.survey, machine: machine, rounds: 1,
    measurements: [
      measured(.export, 1, [30], mebibytes: 9), measured(.export, 2, [20], mebibytes: 9),
      measured(.shellExport, 1, [45], mebibytes: 4),
    ])

  /// An archive with findings, measured once.
  static let archive = ThroughputReport(
    file: "b.zip",
    survey: DocumentSurvey(kind: .zip, storedBytes: 900, bytes: 1000, records: 1, format: "smilepile", isValid: false),
    machine: machine, rounds: 1,
    measurements: [measured(.validate, 1, [0.004], mebibytes: 20)],
    leftOut: ThroughputPlan(for: .zip, options: .init(jobs: [1]), hasShell: false).leftOut)
}
