import Coffer
import CofferSQLite
import GRDB
import JSONEvents
import SyntheticBackups
import TestSupport
import Testing

/// An export equals the imported backup.
@Suite struct RoundTripTests {
  static let formats = Storing.catalog.formats.map(\.name)

  /// Returns the expected export of a backup: an import migrates documents that become others.
  private static func expected(_ bytes: [UInt8], _ format: BackupFormat) throws -> [UInt8] {
    guard format.migrations.contains(where: { $0.becomes != nil }) else { return bytes }
    var sink = MemorySink()
    try Migrator(Storing.catalog, format: format, options: MigrationOptions(now: Storing.now))
      .migrate(MemorySource(bytes), to: &sink)
    return sink.bytes
  }

  @Test(arguments: formats)
  func `generated backups are exported as they were imported`(_ name: String) throws {
    let format = try #require(Storing.catalog[name])
    for seed in 1...TestDepth.count(everyday: 4, deep: 50) as ClosedRange<UInt64> {
      let bytes = try Storing.backup(of: format, seed: seed, size: 6_000)
      let canonical = try Storing.canonical(try Self.expected(bytes, format))
      let database = try DatabaseQueue()
      let store = BackupStore(database, catalog: Storing.catalog)
      // Every other backup is imported in slices of a few records if it is large enough.
      let options = Storing.options(sliceSize: seed.isMultiple(of: 2) ? 400 : nil)
      for attempt in 1...2 {
        let report = try store.importBackup(
          { MemorySource(bytes) }, named: "test", rules: .format(format), options: options)
        #expect(report.changes.isEmpty == (attempt == 2), "the seed \(seed)")
        var sink = MemorySink()
        try store.export(to: &sink)
        #expect(try Storing.canonical(sink.bytes) == canonical, "the seed \(seed), import \(attempt)")
      }
    }
  }

  @Test(arguments: [
    // Numbers keep their digits, wherever they are.
    #"{"trips":[{"id":1,"km":1.50},{"id":2,"km":1e400},{"id":3,"km":-0},{"id":4,"km":123456789012345678901234567890.10}]}"#,
    #"{"trips":[{"id":1,"car":null,"km":7}],"cars":[]}"#,
    // An integer column can't hold these as they are.
    #"{"log":[{"at":1.0},{"at":-0},{"at":1e2},{"at":9223372036854775807},{"at":9223372036854775808},{"at":-9223372036854775808}],"trips":[]}"#,
    // Absent, null, empty, and values that look like them.
    #"{"trips":[{"id":1},{"id":2,"note":null},{"id":3,"note":""},{"id":4,"note":"null"},{"id":5,"stops":[]},{"id":6,"isPaid":false}]}"#,
    #"{"trips":[{"id":1,"stops":[{"a":[1.0,null,true]},"x"],"isPaid":true}]}"#,
    // Unknown fields, some of which differ from columns only in case, or have names that SQLite uses itself.
    #"{"trips":[{"id":1,"ID":2,"rowid":3,"more":{"more":4},"new":{"x":[1.0]},"":5}],"weather":{"wind":1.0},"list":[1,2]}"#,
    #"{"trips":[{"id":1,"note":"\"\\\/\b\f\n\r\t\u0000\u001f ü 🚲 \u2028"}],"unit":"\u00e4"}"#,
    // Records and members keep the document's order.
    #"{"log":[{"at":3},{"at":1},{"at":2},{"at":1}],"unit":"km","trips":[{"id":9},{"id":1}],"made":"2026-01-01T00:00:00Z"}"#,
    #"{"trips":[],"cars":null,"log":{}}"#,
  ])
  func `every value survives an import and export`(_ text: String) throws {
    let database = try DatabaseQueue()
    try Storing.put(text, into: database, Storing.options(allowsFindings: true))
    let exported = try Storing.text(of: database)
    #expect(try Storing.canonical(Array(exported.utf8)) == Storing.canonical(Array(text.utf8)))
    #expect(try Storing.put(text, into: database, Storing.options(allowsFindings: true)).changes.isEmpty)
    try Storing.put(text, into: database, Storing.options(.replace, allowsFindings: true))
    #expect(try Storing.text(of: database) == exported)
  }

  @Test func `the result does not depend on slices or threads`() throws {
    let format = try #require(Storing.catalog["ev-charging-tracker"])
    let bytes = try Storing.backup(of: format, seed: 5, size: 200_000)
    var texts: Set<String> = []
    for (sliceSize, jobs) in [(nil, 1), (300, 1), (300, 4), (5_000, 3)] as [(Int?, Int)] {
      let database = try DatabaseQueue()
      let options = Storing.options(sliceSize: sliceSize, jobs: jobs)
      _ = try BackupStore(database, catalog: Storing.catalog).importBackup(
        { MemorySource(bytes) }, named: "test", options: options)
      texts.insert(try Storing.text(of: database, format))
    }
    #expect(texts.count == 1)
  }
}
