import Reports
import SyntheticBackups
import TestSupport
import Testing

@testable import Coffer

/// Slices and threads never change the migrated document.
@Suite struct MigrationStreamingTests {
  /// Steps of every kind for two collections, one of them within an object; a third is unchanged.
  private static let steps = """
    {"default": "/notes/*/kind", "value": "text"}, {"rename": "/notes/*/b", "to": "body"}, {"drop": "/notes/*/old"},
    {"scale": "/notes/*/n", "by": 1000, "where": {"required": ["u"], "properties": {"u": {"const": "l"}}}},
    {"map": "/notes/*/u", "values": {"l": "ml"}}, {"convert": "/data/times/*", "from": "unix-time", "to": "date-time"},
    {"move": "/app", "to": "/meta/app"}, {"default": "/made", "now": "date-time"}
    """

  private static func document(records: Int, seed: UInt64) -> String {
    var random = SeededRandom(seed: seed)
    let notes = (0..<records).map { index in
      let members = [
        #""id": \#(index)"#, #""b": "t\u00e9xt \#(String(repeating: "y", count: Int.random(in: 0..<90, using: &random)))""#,
        #""old": [{"x": [\#(index)]}]"#, #""n": 0.\#(index)"#, #""u": "l""#, #""u": "ml""#, #""kind": null"#, #""big": 1e400"#,
      ]
      return "{\(members.filter { _ in Bool.random(using: &random) }.shuffled(using: &random).joined(separator: ", "))}"
    }
    let times = (0..<records).map { $0 % 7 == 0 ? #""x""# : "\($0 * 1_000_003).5" }
    let rest = (0..<records).map { #"[{"id": \#($0)}, null]"# }
    return """
      {"version": 1, "notes": [\(notes.joined(separator: ",\n "))], "rest": [\(rest.joined(separator: ", "))],
       "data": {"times": [\(times.joined(separator: ","))], "k": [[]]}, "app": "x", "meta": {}}
      """
  }

  @Test(arguments: [0, 1, 3, 200])
  func `slices, threads and chunks do not change the result`(records: Int) throws {
    let format = try Migrating.format(steps: Self.steps)
    let bytes = Array(Self.document(records: records, seed: UInt64(records)).utf8)
    let whole = try Migrating.migrate(bytes, format) { $0.slices = nil }
    for (sliceSize, jobs, chunkSize) in [(64, 1, 7), (64, 4, .max), (500, 2, 1000), (1 << 20, 3, 1)] {
      let cut = try Migrating.migrate(bytes, format, chunkSize: chunkSize) { options in
        options.execution.jobs = jobs
        options.limits.chunkSize = 97
        var slices = Slicer.Options()
        slices.sliceSize = sliceSize
        slices.largestSlice = max(sliceSize, 300)
        options.slices = slices
      }
      #expect(String(decoding: cut.bytes, as: UTF8.self) == String(decoding: whole.bytes, as: UTF8.self))
      #expect(cut.report == whole.report)
    }
  }

  @Test(arguments: [1, 2])
  func `migration writes the same layouts and compression as conversion`(jobs: Int) throws {
    let format = try Migrating.format(steps: Self.steps)
    let bytes = Array(Self.document(records: 300, seed: 1).utf8)
    let compact = try Migrating.migrate(bytes, format).bytes
    var slices = Slicer.Options()
    slices.sliceSize = 2000
    let pretty = try Migrating.migrate(bytes, format) {
      $0.layout = .pretty(indent: 3)
      $0.execution.jobs = jobs
      $0.slices = slices
    }.bytes
    #expect(try Self.convert(pretty, .compact) == compact)
    #expect(try Self.convert(compact, .pretty(indent: 3)) == pretty)
    let compressed = try Migrating.migrate(bytes, format) {
      $0.compression = .lz4
      $0.execution.jobs = jobs
      $0.slices = slices
    }.bytes
    #expect(try Self.convert(compressed, .compact) == compact)
  }

  private static func convert(_ bytes: [UInt8], _ layout: FormatLayout) throws -> [UInt8] {
    var options = ConversionOptions()
    options.layout = layout
    var sink = MemorySink()
    _ = try Converter(options: options).convert(MemorySource(bytes), to: &sink)
    return sink.bytes
  }

  @Test func `a second migration changes nothing`() throws {
    let format = try Migrating.format(steps: Self.steps)
    let once = try Migrating.migrate(Array(Self.document(records: 50, seed: 9).utf8), format)
    let twice = try Migrating.migrate(once.bytes, format)
    #expect(once.report.hasChanged)
    #expect(twice.bytes == once.bytes)
    #expect(!twice.report.hasChanged)
    #expect(
      TextReport().text(of: twice.report, named: "a.json") == "a.json: notes, version 3: up to date, only the layout changed\n")
  }

  @Test func `a current backup is copied unchanged`() throws {
    var options = SyntheticBackup.Options(size: 3 << 20, seed: 4)
    options.layout = .compact
    let (bytes, _) = try Validating.backup(options)
    let (migrated, report) = try Migrating.migrate(bytes, nil) { $0.execution.jobs = 2 }
    #expect(report.format == "ev-charging-tracker" && !report.hasChanged)
    #expect(try migrated == Self.convert(bytes, .compact))
  }

  @Test func `sources that can be read only once are migrated, too`() async throws {
    let format = try Migrating.format(steps: Self.steps)
    let bytes = Array(Self.document(records: 20_000, seed: 2).utf8)
    #expect(bytes.count > 1 << 20)
    let expected = try Migrating.migrate(bytes, format)
    var sink = MemorySink()
    let report = try Migrator(FormatCatalog([]), format: format, options: MigrationOptions(now: Migrating.now))
      .migrate(MemorySource(bytes, chunkSize: 100_000), to: &sink)
    #expect(sink.bytes == expected.bytes)
    #expect(report == expected.report)
    // Backups of each kind of source.
    let folder = try TemporaryFolder()
    try folder.write(String(decoding: bytes, as: UTF8.self), to: "in.json")
    let chunks = AsyncStream<[UInt8]> { continuation in
      continuation.yield(bytes)
      continuation.finish()
    }
    let path = folder.path.appending("in.json").string
    for (index, backup) in [Backup(path: path), Backup(bytes: bytes), Backup(chunks: chunks)].enumerated() {
      let output = folder.path.appending("out\(index).json")
      let report = try await backup.migrate(
        to: output.string, catalog: FormatCatalog([]), format: format, options: MigrationOptions(now: Migrating.now))
      #expect(report == expected.report)
      #expect(try Array(folder.text(of: "out\(index).json").utf8) == expected.bytes)
      let error = await #expect(throws: CofferError.self) {
        try await backup.migrate(
          to: output.string, catalog: FormatCatalog([]), format: format, options: MigrationOptions(now: Migrating.now))
      }
      #expect(error?.code == .alreadyExists || error?.code == .alreadyRead)
    }
  }
}
