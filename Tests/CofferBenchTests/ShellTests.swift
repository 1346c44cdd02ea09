import Platform
import SystemPackage
import TestSupport
import Testing

@testable import CofferBench

/// Runs the statements for the sqlite3 shell with a real shell.
@Suite(.enabled(if: Bench.installedShell != nil)) struct ShellTests {
  private let folder: TemporaryFolder
  private let document = Document(file: "a.json", kind: .json)

  init() throws { folder = try TemporaryFolder() }

  private func output(_ arguments: [String]) throws -> String {
    let shell = try #require(Bench.installedShell)
    let outcome = try Child(shell, arguments, keepsOutput: true).wait()
    #expect(outcome.ending == .exited(0), "\(String(decoding: outcome.errorOutput, as: UTF8.self))")
    return String(decoding: outcome.output, as: UTF8.self)
  }

  @Test(arguments: ["plain", "a b", #"it's "quoted" \ and"# + "\non two lines"])
  func `the shell exports and imports the rows of all tables`(name: String) throws {
    let scratch = Scratch(folder: folder.path.appending(name))
    for folder in [scratch.folder, scratch.databaseFolder, scratch.tablesFolder, scratch.plainFolder] {
      #expect(mkdir(folder.string, 0o700) == 0)
    }
    _ = try output([
      scratch.database.string,
      """
      CREATE TABLE "a ""b"" ' c;" (id INTEGER PRIMARY KEY, "x y" TEXT, "z"";" REAL) STRICT;
      INSERT INTO "a ""b"" ' c;" VALUES (1, 'one', 1.5), (2, 'two, "three"' || char(10) || 'four', NULL);
      CREATE TABLE second (value TEXT);
      INSERT INTO second VALUES ('5');
      """,
    ])
    _ = try output(Invocation.makingTables(scratch).arguments)
    let exported = try output(Invocation.figure(Figure(.shellExport, jobs: 1), of: document, in: scratch).arguments)
    #expect(
      exported == """
        [{"id":1,"x y":"one","z\\";":1.5},
        {"id":2,"x y":"two, \\"three\\"\\nfour","z\\";":null}]
        [{"value":"5"}]

        """)
    _ = try output(Invocation.figure(Figure(.shellImport, jobs: 1), of: document, in: scratch).arguments)
    let rows = try output([
      scratch.plainDatabase.string, "SELECT * FROM t1", "SELECT * FROM t2", "SELECT sql FROM sqlite_schema",
    ])
    #expect(
      rows == """
        1|one|1.5
        2|two, "three"
        four|
        5
        CREATE TABLE t1 ("id" INTEGER, "x y" TEXT, "z"";" REAL)
        CREATE TABLE t2 ("value" TEXT)

        """)
  }
}
