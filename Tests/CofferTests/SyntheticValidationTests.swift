import Coffer
import SyntheticBackups
import TestSupport
import Testing

/// Validation finds exactly the planted defects, in any format and with any chunks of input.
@Suite struct SyntheticValidationTests {
  static let formats = FormatCatalog.builtIn.formats.map(\.name)
  static let seeds = Array(1...TestDepth.count(everyday: 2, deep: 10)) as [UInt64]

  /// A kind that only the envelope has is planted once.
  private static func count(of kind: DefectKind, in format: SyntheticFormat, upTo most: Int) -> Int {
    format.defects.contains { $0.kind == kind && $0.pointer.contains("*") } ? most : 1
  }

  /// Returns the findings that were not planted, and the planted defects that were not found.
  private static func differences(_ report: ValidationReport, _ ledger: [LedgerEntry]) -> [String] {
    let found = Validating.lines(report)
    let planted = ledger.map { "\($0.code) \($0.pointer)" }
    return found.filter { !planted.contains($0) }.map { "found " + $0 }
      + planted.filter { !found.contains($0) }.map { "planted " + $0 }
  }

  @Test(arguments: formats)
  func `each kind of planted defect gives exactly its findings`(_ name: String) throws {
    let format = try Validating.synthetic(name)
    let rules = RuleSource.format(try #require(FormatCatalog.builtIn[name]))
    #expect(format.defectKinds.count >= 6)
    for kind in format.defectKinds {
      for seed in Self.seeds {
        let options = SyntheticBackup.Options(size: 0, seed: seed, defects: [kind: Self.count(of: kind, in: format, upTo: 6)])
        let (bytes, ledger) = try Validating.backup(options, of: name, counts: (RecordCounts([:]), others: 30))
        let report = try Validating.report(on: bytes, rules: rules)
        #expect(report.error == nil)
        #expect(Self.differences(report, ledger) == [], "\(kind) with the seed \(seed)")
        #expect(report.counts.total == ledger.count)
      }
    }
  }

  @Test(arguments: formats)
  func `defects of all kinds together give exactly their findings`(_ name: String) throws {
    let format = try Validating.synthetic(name)
    // A single object has no room for all kinds.
    guard format.defects.contains(where: { $0.pointer.contains("*") }) else { return }
    let rules = RuleSource.format(try #require(FormatCatalog.builtIn[name]))
    let defects = Dictionary(uniqueKeysWithValues: format.defectKinds.map { ($0, Self.count(of: $0, in: format, upTo: 5)) })
    for seed in Self.seeds.prefix(TestDepth.count(everyday: 1, deep: 3)) {
      let (bytes, ledger) = try Validating.backup(
        .init(size: 0, seed: seed, defects: defects), of: name, counts: (RecordCounts([:]), others: 150))
      let report = try Validating.report(on: bytes, rules: rules)
      #expect(Self.differences(report, ledger) == [])
    }
  }

  @Test(arguments: formats)
  func `a generated backup without defects has no findings`(_ name: String) throws {
    let rules = RuleSource.format(try #require(FormatCatalog.builtIn[name]))
    for seed in Self.seeds {
      for layout in [.compact, .pretty(indent: 2)] as [JSONEventWriter.Layout] {
        let (bytes, _) = try Validating.backup(.init(size: 100_000, seed: seed, layout: layout), of: name)
        let report = try Validating.report(on: bytes, rules: rules)
        #expect(report.isValid)
        #expect(Validating.lines(report) == [], "the seed \(seed)")
        #expect(report.bytes == bytes.count)
      }
    }
  }

  @Test(arguments: formats, [20_000, 500_000])
  func `a generated backup is detected as its format`(_ name: String, size: Int) throws {
    let (bytes, _) = try Validating.backup(.init(size: size, seed: 3), of: name)
    #expect(try Validating.report(on: bytes).format == name)
  }

  /// Returns a document with the members of its root in the opposite order: references come before their targets.
  private static func reversed(_ bytes: [UInt8]) -> [UInt8] {
    var members: [[Substring]] = []
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst().dropLast() {
      if line.hasPrefix("  \"") { members.append([]) }
      members[members.count - 1].append(line)
    }
    let texts = members.reversed().map { lines in
      let text = lines.joined(separator: "\n")
      return text.hasSuffix(",") ? String(text.dropLast()) : text
    }
    return Array("{\n\(texts.joined(separator: ",\n"))\n}\n".utf8)
  }

  @Test func `chunk sizes do not change the report`() throws {
    let format = try Validating.synthetic("ev-charging-tracker")
    let defects = Dictionary(uniqueKeysWithValues: format.defectKinds.map { ($0, 1) })
    let (sorted, ledger) = try Validating.backup(
      .init(size: 0, seed: 11, defects: defects), counts: (RecordCounts(["/expenses": 40]), others: 12))
    for bytes in [sorted, Self.reversed(sorted)] {
      let whole = try Validating.report(on: bytes, chunkSize: 1 << 20)
      #expect(Validating.lines(whole).sorted() == ledger.map { "\($0.code) \($0.pointer)" }.sorted())
      let chunkSizes = Array(1...40) + [64, 100, 255, 256, 257, 1000, 4095, 4096, 4097, 10_000]
      for chunkSize in TestDepth.sample(chunkSizes, everyday: 7) {
        #expect(try Validating.report(on: bytes, chunkSize: chunkSize) == whole, "chunks of \(chunkSize)")
      }
      // Sources may return one byte at a time, or an odd number.
      for sourceChunkSize in [1, 7, 333] {
        #expect(try Validating.report(on: bytes, sourceChunkSize: sourceChunkSize) == whole)
      }
    }
  }
}
