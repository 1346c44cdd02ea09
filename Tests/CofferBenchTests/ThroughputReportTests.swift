import Reports
import Testing

@testable import CofferBench

@Suite struct ThroughputReportTests {
  @Test func `a table has a row for each step and number of workers`() {
    #expect(
      TextReport().text(of: ThroughputReport.sample) == """
        a<b>.json: ev-charging-tracker 9, 170,000,000 bytes stored, 1,000,004,211 bytes, 3,012,345 records
        Linux x86_64 with 2 processors; 3 rounds: median (fastest–slowest)

          step        workers                seconds   MB/s   records/s  peak MiB  speedup
          validate          1       4.50 (4.40–4.70)    222     669,000        33        –
          validate          2       2.50 (2.50–2.60)    400   1,200,000        39     1.80
          decompress        2    0.120 (0.110–0.130)  8,330  25,100,000        37        –
          import            2  refused
          merge             2  no database
          export            2  100.00 (99.50–130.00)     10      30,100       9.0        –

          import: refused: the disk is full

        """)
  }

  @Test func `omitted steps are listed with their reasons`() {
    #expect(
      TextReport().text(of: ThroughputReport.archive) == """
        b.zip: smilepile, 900 bytes stored, 1,000 bytes, 1 record, with findings
        Linux x86_64 with 2 processors

          step        workers  seconds  MB/s  records/s  peak MiB
          validate          1    0.004   0.3        250        20

          parse skipped: an archive is always checked completely
          convert skipped: an archive has no JSON layout
          compress skipped: an archive is already compressed
          decompress skipped: an archive is already compressed
          sqlite3-import skipped: sqlite3 can't handle the files in an archive
          sqlite3-export skipped: sqlite3 can't handle the files in an archive

        """)
  }

  @Test func `ratios compare with fewer workers and with the shell`() {
    #expect(
      TextReport().text(of: ThroughputReport.compared).split(separator: "\n").dropFirst(2) == [
        "  step            workers  seconds  MB/s  records/s  peak MiB  speedup  × sqlite3",
        "  export                1    30.00    33    100,000       9.0        –       1.50",
        "  export                2    20.00    50    151,000       9.0     1.50       2.25",
        "  sqlite3-export        1    45.00    22     66,900       4.0        –          –",
      ])
    let json = JSONReport().text(of: ThroughputReport.compared)
    #expect(
      json.contains(/"speedup": 1.5,\s+"ratioToSQLite": 2.25,\s+"runs": \[\s+\{\s+"seconds": 20.0,\s+"peakMemory": 9437184\s+\}/))
  }

  @Test func `the JSON has exact figures`() {
    #expect(
      JSONReport().text(of: ThroughputReport.sample) == """
        {
          "formatVersion": 1,
          "file": "a<b>.json",
          "format": "ev-charging-tracker",
          "version": 9,
          "valid": true,
          "error": null,
          "kind": "lz4",
          "bytes": 1000004211,
          "storedBytes": 170000000,
          "records": 3012345,
          "machine": {
            "system": "Linux x86_64",
            "processors": 2
          },
          "rounds": 3,
          "measurements": [
            {
              "step": "validate",
              "jobs": 1,
              "seconds": 4.5,
              "fastest": 4.4,
              "slowest": 4.7,
              "bytesPerSecond": 222223158,
              "recordsPerSecond": 669410,
              "peakMemory": 34603008,
              "speedup": null,
              "ratioToSQLite": null,
              "runs": [
                {
                  "seconds": 4.5,
                  "peakMemory": 34603008
                },
                {
                  "seconds": 4.4,
                  "peakMemory": 34603008
                },
                {
                  "seconds": 4.7,
                  "peakMemory": 34603008
                }
              ],
              "failure": null
            },
            {
              "step": "validate",
              "jobs": 2,
              "seconds": 2.5,
              "fastest": 2.5,
              "slowest": 2.6,
              "bytesPerSecond": 400001684,
              "recordsPerSecond": 1204938,
              "peakMemory": 40894464,
              "speedup": 1.8,
              "ratioToSQLite": null,
              "runs": [
                {
                  "seconds": 2.5,
                  "peakMemory": 40894464
                },
                {
                  "seconds": 2.5,
                  "peakMemory": 40894464
                },
                {
                  "seconds": 2.6,
                  "peakMemory": 40894464
                }
              ],
              "failure": null
            },
            {
              "step": "decompress",
              "jobs": 2,
              "seconds": 0.12,
              "fastest": 0.11,
              "slowest": 0.13,
              "bytesPerSecond": 8333368425,
              "recordsPerSecond": 25102875,
              "peakMemory": 38797312,
              "speedup": null,
              "ratioToSQLite": null,
              "runs": [
                {
                  "seconds": 0.12,
                  "peakMemory": 38797312
                },
                {
                  "seconds": 0.11,
                  "peakMemory": 38797312
                },
                {
                  "seconds": 0.13,
                  "peakMemory": 38797312
                }
              ],
              "failure": null
            },
            {
              "step": "import",
              "jobs": 2,
              "seconds": null,
              "fastest": null,
              "slowest": null,
              "bytesPerSecond": null,
              "recordsPerSecond": null,
              "peakMemory": null,
              "speedup": null,
              "ratioToSQLite": null,
              "runs": [

              ],
              "failure": {
                "reason": "refused",
                "message": "the disk is full"
              }
            },
            {
              "step": "merge",
              "jobs": 2,
              "seconds": null,
              "fastest": null,
              "slowest": null,
              "bytesPerSecond": null,
              "recordsPerSecond": null,
              "peakMemory": null,
              "speedup": null,
              "ratioToSQLite": null,
              "runs": [

              ],
              "failure": {
                "reason": "no database",
                "message": "the disk is full"
              }
            },
            {
              "step": "export",
              "jobs": 2,
              "seconds": 100.0,
              "fastest": 99.5,
              "slowest": 130.0,
              "bytesPerSecond": 10000042,
              "recordsPerSecond": 30123,
              "peakMemory": 9437184,
              "speedup": null,
              "ratioToSQLite": null,
              "runs": [
                {
                  "seconds": 100.0,
                  "peakMemory": 9437184
                },
                {
                  "seconds": 99.5,
                  "peakMemory": 9437184
                },
                {
                  "seconds": 130.0,
                  "peakMemory": 9437184
                }
              ],
              "failure": null
            }
          ],
          "leftOut": [

          ]
        }

        """)
  }

  @Test func `a step refused because of findings isn't a failure`() {
    #expect(ThroughputReport.sample.hasFailures)
    #expect(!ThroughputReport.sample.hasFindings)
    #expect(!ThroughputReport.archive.hasFailures)
    #expect(ThroughputReport.archive.hasFindings)
  }

  @Test(
    arguments: [
      (0, "0.0"), (0.04, "0.0"), (3.14, "3.1"), (9.94, "9.9"), (9.96, "10"), (99.6, "100"), (999.6, "1,000"), (1234, "1,230"),
      (1235, "1,240"), (9995, "10,000"), (1_185_962, "1,190,000"), (1e15, "1,000,000,000,000,000"),
    ] as [(Double, String)])
  func `rates have three significant digits`(value: Double, text: String) {
    #expect(TextReport.rounded(value) == text)
  }
}
