import Findings
import Reports
import Testing

@Suite struct JSONReportTests {
  @Test func `the JSON of a report is stable`() {
    #expect(
      JSONReport().text(of: FileReports<ValidationReport>([.sample])) == #"""
        {
          "formatVersion": 1,
          "files": [
            {
              "file": "export.json",
              "format": "ev-charging-tracker",
              "version": 9,
              "valid": false,
              "bytes": 104857600,
              "records": 321098,
              "counts": {
                "error": 1235,
                "warning": 1,
                "note": 1,
                "byCode": {
                  "foreign-key": 1235,
                  "type": 1,
                  "unknown-field": 1
                },
                "byRule": [
                  {
                    "severity": "error",
                    "code": "foreign-key",
                    "schema": "/properties/expenses/foreignKeys/0",
                    "count": 1235
                  },
                  {
                    "severity": "warning",
                    "code": "type",
                    "schema": "/type",
                    "count": 1
                  },
                  {
                    "severity": "note",
                    "code": "unknown-field",
                    "schema": "/$defs/unknown/not",
                    "count": 1
                  }
                ]
              },
              "notShown": 1234,
              "findings": [
                {
                  "code": "type",
                  "keyword": "type",
                  "severity": "warning",
                  "message": "expected object, found an array",
                  "pointer": "",
                  "line": 1,
                  "column": 1,
                  "offset": 0,
                  "schema": "/type"
                },
                {
                  "code": "unknown-field",
                  "keyword": "not",
                  "severity": "note",
                  "message": "no schema version of this format has this field",
                  "pointer": "/expenses/0/\u001B[31mred\u202E",
                  "line": 3,
                  "column": 5,
                  "offset": 40,
                  "schema": "/$defs/unknown/not"
                },
                {
                  "code": "foreign-key",
                  "keyword": "foreignKeys",
                  "severity": "error",
                  "message": "carId 99 refers to no record of /cars",
                  "pointer": "/expenses/1204/carId",
                  "line": 18062,
                  "column": 17,
                  "offset": 4194311,
                  "schema": "/properties/expenses/foreignKeys/0",
                  "excerpt": "99"
                }
              ]
            }
          ]
        }

        """#)
  }

  @Test func `an unreadable file has an error and is not valid`() {
    let text = JSONReport().text(of: FileReports<ValidationReport>([.truncated, .missing]))
    #expect(text.contains(#""code": "truncated""#))
    #expect(text.contains(#""column": 8"#))
    #expect(text.contains(#""valid": false"#))
    #expect(text.contains(#""format": null"#))
    #expect(!text.contains(#""valid": true"#))
  }

  @Test func `a file of unknown format is not valid`() {
    let unknown = JSONReport().text(of: FileReports<ValidationReport>([.unknown]))
    #expect(unknown.contains(#""valid": false"#))
    #expect(unknown.contains(#""formatProblem": "unknown-format""#))
  }
}
