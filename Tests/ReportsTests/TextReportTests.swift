import ByteStreams
import Findings
import Reports
import Testing

@Suite struct TextReportTests {
  @Test func `findings have lines that editors parse and a summary`() {
    #expect(
      TextReport().text(of: .sample) == #"""
        export.json:1:1: warning: expected object, found an array [type]
            the root, byte 0
        export.json:3:5: note: no schema version of this format has this field [unknown-field]
            /expenses/0/\u{1B}[31mred\u{202E}, byte 40
        export.json:18062:17: error: carId 99 refers to no record of /cars [foreign-key]
            /expenses/1204/carId, byte 4194311
        export.json: 1,235 errors, 1 warning, 1 note (ev-charging-tracker 9)
          1,235  error    foreign-key    /expenses/*/carId (first at 18062:17)
              1  warning  type           the root (at 1:1)
              1  note     unknown-field  /expenses/*/\u{1B}[31mred\u{202E} (at 3:5)
          1,234 findings not shown
          104,857,600 bytes, 321,098 records in 0.31 s (332 MB/s)

        """#)
  }

  @Test func `a truncated document has an error with its place`() {
    #expect(
      TextReport().text(of: .truncated) == """
        cut.json:1:8: error: the document ends where ',' or ']' was expected, with 1 bracket open [truncated], byte 7
        cut.json: not read completely
          7 bytes, 0 records

        """)
  }

  @Test func `a missing file has only an error`() {
    #expect(
      TextReport().text(of: .missing) == """
        gone.json: error: cannot open gone.json: no such file or directory [not-found]

        """)
  }

  @Test func `an unknown format is reported`() {
    #expect(
      TextReport().text(of: .unknown) == """
        -: well-formed; unknown format
          not valid: no rules were applied
          2 bytes, 0 records

        """)
  }

  @Test func `colours are only used on request`() {
    var colored = TextReport()
    colored.usesColor = true
    #expect(colored.text(of: .truncated).contains("\u{1B}[31merror\u{1B}[0m: the document ends"))
    #expect(!TextReport().text(of: .sample).contains("\u{1B}"))
  }

  @Test func `a program's hints say what a reader can do`() {
    var renderer = TextReport()
    renderer.hints = ["not-shown": "--max-findings sets the number", "no-rules": "name them with --rules"]
    let text = renderer.text(of: ValidationResults([.sample, .unknown], toolVersion: ""))
    #expect(text.contains("\n  1,234 findings not shown: --max-findings sets the number\n"))
    #expect(text.contains("\n  not valid: no rules were applied; name them with --rules\n"))
  }
}
