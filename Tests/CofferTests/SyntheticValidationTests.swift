import Coffer
import SyntheticBackups
import Testing

/// What the generator plants is what validation finds: exactly that, in any cut of the input.
@Suite struct SyntheticValidationTests {
  @Test(arguments: DefectKind.allCases, [1, 2, 3] as [UInt64])
  func aKindOfDefectIsFoundExactly(_ kind: DefectKind, _ seed: UInt64) throws {
    let count = kind == .version ? 1 : 6
    let (bytes, ledger) = try Validating.backup(
      .init(size: 0, seed: seed, defects: [kind: count]), counts: RecordCounts(cars: 20, others: 20, expenses: 200))
    let report = try Validating.report(on: bytes)
    #expect(report.error == nil)
    #expect(Validating.lines(report).sorted() == ledger.map { "\($0.code) \($0.pointer)" }.sorted())
    #expect(report.counts.total == count)
    for entry in ledger {
      guard let value = entry.value, let finding = report.findings.first(where: { $0.place.pointer == entry.pointer }) else {
        continue
      }
      #expect(finding.excerpt == nil || finding.excerpt == value)
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func aSoundBackupHasNoFindings(_ seed: UInt64) throws {
    for layout in [.compact, .pretty(indent: 2)] as [JSONEventWriter.Layout] {
      let (bytes, _) = try Validating.backup(.init(size: 300_000, seed: seed, layout: layout))
      let report = try Validating.report(on: bytes)
      #expect(report.isValid)
      #expect(Validating.lines(report) == [])
      #expect(report.bytes == bytes.count)
      #expect(report.format == "ev-charging-tracker")
      #expect(report.version == "9")
    }
  }

  @Test func findingsDependOnNoChunkSize() throws {
    let defects = Dictionary(uniqueKeysWithValues: DefectKind.allCases.map { ($0, 1) })
    for order in [.sorted, .reversed] as [SyntheticBackup.Options.CollectionOrder] {
      let (bytes, ledger) = try Validating.backup(
        .init(size: 0, seed: 11, defects: defects, collectionOrder: order), counts: RecordCounts(cars: 6, others: 6, expenses: 40)
      )
      let whole = try Validating.report(on: bytes, chunkSize: 1 << 20)
      #expect(Validating.lines(whole).sorted() == ledger.map { "\($0.code) \($0.pointer)" }.sorted())
      for chunkSize in Array(1...40) + [64, 100, 255, 256, 257, 1000, 4095, 4096, 4097, 10_000] {
        #expect(try Validating.report(on: bytes, chunkSize: chunkSize) == whole, "chunks of \(chunkSize)")
      }
      // Sources give what they have: one byte at a time, or an odd number.
      for sourceChunkSize in [1, 7, 333] {
        #expect(try Validating.report(on: bytes, sourceChunkSize: sourceChunkSize) == whole)
      }
    }
  }
}
