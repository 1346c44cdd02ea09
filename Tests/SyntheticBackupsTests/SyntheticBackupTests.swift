import ByteStreams
import Foundation
import JSONEvents
import SyntheticBackups
import Testing

@Suite struct SyntheticBackupTests {
  @Test func `equal seeds give equal bytes`() throws {
    let options = SyntheticBackup.Options(size: 100_000, seed: 7, defects: [.reference: 3])
    #expect(try Generated(options).bytes == Generated(options).bytes)
  }

  @Test func `different seeds give different documents`() throws {
    #expect(try Generated(.init(size: 50_000, seed: 1)).bytes != Generated(.init(size: 50_000, seed: 2)).bytes)
  }

  @Test(arguments: [0, 20_000, 300_000], [1, 7] as [UInt64])
  func `a document without defects breaks no rule`(size: Int, seed: UInt64) throws {
    let generated = try Generated(.init(size: size, seed: seed))
    #expect(generated.ledger.isEmpty)
    let findings = try generated.findings
    #expect(findings == [])
  }

  @Test func `a document with many cars breaks no rule`() throws {
    let findings = try Generated(defects: [:]).findings
    #expect(findings == [])
  }

  @Test(arguments: [1_000_000, 3_333_333])
  func `the size is within two percent of the requested one`(size: Int) throws {
    for layout in [.pretty(indent: 2), .compact] as [JSONEventWriter.Layout] {
      var sink = CountingSink()
      let summary = try SyntheticBackup(of: Generated.tracker(), options: .init(size: size, seed: 3, layout: layout)).write(
        to: &sink)
      #expect(summary.bytes == sink.count)
      #expect(abs(summary.bytes - size) * 50 <= size)
    }
  }

  @Test func `the smallest document has a few records of each kind`() throws {
    let generated = try Generated(.init(size: 0))
    #expect(generated.bytes.count < 8000)
    #expect(generated.summary.records["/cars"] >= 2)
    #expect(generated.summary.records["/expenses"] >= 8)
    #expect(generated.summary.records.total == generated.summary.records["/cars"] + 16)
  }

  @Test func `the summary has the actual counts`() throws {
    let generated = try Generated(.init(size: 200_000, seed: 5))
    let root = try JSONValue(parsing: generated.bytes)
    let records = generated.summary.records
    #expect(generated.summary.bytes == generated.bytes.count)
    #expect(root["cars"]?.items.count == records["/cars"])
    #expect(root["delayedNotifications"]?.items.count == records["/delayedNotifications"])
    #expect(root["documents"]?.items.count == records["/documents"])
    #expect(root["expenses"]?.items.count == records["/expenses"])
    #expect(root["ideas"]?.items.count == records["/ideas"])
    #expect(root["plannedMaintenance"]?.items.count == records["/plannedMaintenance"])
  }

  @Test(arguments: ["ev-charging-tracker", "swiff", "smilepile"])
  func `the number of threads changes no byte`(name: String) throws {
    let format = try SyntheticFormats.named(name)
    var options = SyntheticBackup.Options(size: 1_500_000, seed: 4, defects: [.required: 40, .type: 40])
    options.jobs = 1
    let alone = try Generated(options, format: format)
    options.jobs = 3
    let together = try Generated(options, format: format)
    #expect(alone.bytes == together.bytes)
    #expect(alone.ledger == together.ledger)
    #expect(alone.ledger.count == 80)
  }

  @Test func `texts are as varied as those of real users`() throws {
    let text = String(decoding: try Generated(.init(size: 500_000, seed: 1)).bytes, as: UTF8.self)
    for part in ["\\\"", "\\\\", "\\n", "\\u0007", "\\/", "👨‍👩‍👧", "夜间充电", " R1", ".0\"", "\"hybrid\"", "\"fuel\""] {
      let isThere = text.contains(part)
      #expect(isThere, "\(part)")
    }
  }

  @Test func `ids ascend with gaps`() throws {
    let root = try JSONValue(parsing: Generated(.init(size: 50_000, seed: 9)).bytes)
    let ids = (root["expenses"]?.items ?? []).compactMap { $0["id"]?.number }
    #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
    #expect(zip(ids, ids.dropFirst()).contains { $1 - $0 > 1 })
  }
}
