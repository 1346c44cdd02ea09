import Coffer
import Reports
import Testing

@testable import CofferCommand

@Suite struct ProgressTextTests {
  private func snapshot(_ change: (inout WorkProgress.Snapshot) -> Void) -> WorkProgress.Snapshot {
    var snapshot = WorkProgress.Snapshot()
    change(&snapshot)
    return snapshot
  }

  @Test func `the text has bytes, speed, records, the time left and the message`() {
    let all = snapshot {
      ($0.bytesRead, $0.byteCount, $0.bytesPerSecond) = (312_000_000, 490_000_000, 180_400_000)
      ($0.records, $0.message) = (1_234_567, "checking references")
    }
    #expect(
      all.text(titled: "validating")
        == "validating: 312 of 490 MB (63 %), 180 MB/s, 1,234,567 records, 0:00:01 left, checking references")
  }

  @Test func `the number of all records tells how much of an export is left`() {
    let export = snapshot {
      ($0.bytesRead, $0.records, $0.recordCount, $0.bytesPerSecond) = (12_000_000, 500, 2000, 18_000_000)
    }
    #expect(export.text(titled: "exporting") == "exporting: 12 MB, 18 MB/s, 500 of 2,000 records (25 %), 0:00:02 left")
  }

  @Test func `unknown values are left out`() {
    #expect(snapshot { _ in }.text(titled: "validating") == "validating")
    #expect(snapshot { $0.message = "parse (1 of 4)" }.text(titled: "measuring") == "measuring: parse (1 of 4)")
    let stream = snapshot { ($0.bytesRead, $0.bytesPerSecond, $0.records) = (12_345_678_901, 9_400_000, 1) }
    #expect(stream.text(titled: "validating") == "validating: 12,345 MB, 9.4 MB/s, 1 record")
    let complete = snapshot { ($0.bytesRead, $0.byteCount, $0.bytesPerSecond) = (20_100_000, 20_000_000, 1e7) }
    #expect(complete.text(titled: "merging") == "merging: 20 of 20 MB (100 %), 10 MB/s")
    #expect(snapshot { ($0.bytesRead, $0.byteCount) = (1500, 3000) }.text(titled: "packing") == "packing: 1 of 3 kB (50 %)")
  }

  @Test(arguments: [
    (0.001, "0:00:01"), (59.5, "0:01:00"), (3598.5, "0:59:59"), (3599.5, "1:00:00"), (86_398.5, "23:59:59"),
    (359_999.5, "100:00:00"),
  ])
  func `the time left is in hours, minutes and seconds, rounded up`(seconds: Double, text: String) {
    let snapshot = snapshot { ($0.byteCount, $0.bytesRead, $0.bytesPerSecond) = (2_000_000, 1_000_000, 1_000_000 / seconds) }
    #expect(snapshot.text(titled: "validating").hasSuffix(", \(text) left"))
  }

  @Test func `names can't control the terminal`() {
    #expect(snapshot { $0.message = "a\u{1B}[2J\n.json" }.text(titled: "reading") == #"reading: a\u{1B}[2J\u{A}.json"#)
  }

  // MARK: Widths

  @Test(arguments: [
    ("validating", 10, "validating"), ("validating", 9, "validati…"), ("validating", 1, "…"), ("validating", 0, ""),
    ("", 0, ""), ("日本語.json", 11, "日本語.json"), ("日本語.json", 10, "日本語.js…"), ("日本語", 5, "日本…"),
    ("日本語", 4, "日…"), ("e\u{301}e\u{301}e\u{301}", 3, "e\u{301}e\u{301}e\u{301}"), ("🚗🚗", 3, "🚗…"),
  ])
  func `a line is cut to the columns of the terminal`(text: String, columns: Int, cut: String) {
    #expect(text.cut(toColumns: columns) == cut)
  }
}
