import Coffer
import SyntheticBackups
import TestSupport
import Testing

/// A backup generated from any rules obeys them except for its planted defects; rules that can't be generated from are refused.
@Suite struct RandomBackupTests {
  private static let perBlock = TestDepth.count(everyday: 2, deep: 10)

  @Test(arguments: 0..<10) func `a backup generated from random rules has only the planted defects`(block: Int) throws {
    var refused: [String] = []
    for seed in block * Self.perBlock..<(block + 1) * Self.perBlock {
      let text = RandomBackupRules.text(seed: UInt64(seed))
      let document = try RuleDocument(MemorySource(text.utf8))
      let format: SyntheticFormat
      do {
        format = try SyntheticFormat(document, name: "random")
      } catch {
        refused.append("\(seed): \(error.message)")
        continue
      }
      try check(format, against: .document(document, name: "random"), "rules \(seed)")
    }
    #expect(refused.count <= max(1, Self.perBlock / 2), "\(refused)")
  }

  private func check(_ format: SyntheticFormat, against rules: RuleSource, _ comment: String) throws {
    for (seed, size) in [(1, 0), (2, 1500), (3, 6000)] as [(UInt64, Int)] {
      let (bytes, _) = try made(of: format, .init(size: size, seed: seed))
      #expect(try lines(bytes, rules) == [], "\(comment), \(size) bytes with the seed \(seed)")
    }
    for kind in format.defectKinds {
      var options = SyntheticBackup.Options(size: 4000, seed: 4, defects: [kind: 2])
      let (bytes, ledger): ([UInt8], [LedgerEntry])
      do {
        (bytes, ledger) = try made(of: format, options)
      } catch let error as CofferError where error.code == .tooManyDefects {
        options.defects = [kind: 1]
        (bytes, ledger) = try made(of: format, options)
      }
      #expect(try lines(bytes, rules) == ledger.map { "\($0.code) \($0.pointer)" }.sorted(), "\(comment), \(kind)")
      #expect(ledger.count == options.defects[kind], "\(comment), \(kind)")
    }
  }

  private func made(of format: SyntheticFormat, _ options: SyntheticBackup.Options) throws -> ([UInt8], [LedgerEntry]) {
    var sink = MemorySink()
    var ledger: [LedgerEntry] = []
    let backup = try SyntheticBackup(of: format, options: options)
    _ = try backup.write(to: &sink) { entry throws(CofferError) in ledger.append(entry) }
    return (sink.bytes, ledger)
  }

  private func lines(_ bytes: [UInt8], _ rules: RuleSource) throws -> [String] {
    let report = try Validating.report(on: bytes, rules: rules)
    #expect(report.error == nil)
    return Validating.lines(report).sorted()
  }
}
