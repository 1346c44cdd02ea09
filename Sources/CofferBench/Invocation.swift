import SystemPackage

/// One run of a program: its arguments and the handling of its output.
package struct Invocation: Sendable, Equatable {
  package enum Program: Sendable {
    case coffer
    /// The sqlite3 shell.
    case shell
  }

  package var program = Program.coffer
  package let arguments: [String]
  /// True to keep standard output; otherwise it goes to /dev/null.
  package var keepsOutput = false
  /// True if findings (exit status 1) count as success.
  var mayFind = false
  /// A folder that must exist and be empty before the run.
  var emptyFolder: FilePath?

  init(_ arguments: [String]) { self.arguments = arguments }
}

extension Invocation {
  /// Determines the document's size, its record count and whether it is valid. It also loads the document into the page cache.
  package static func survey(_ document: Document) -> Invocation {
    var invocation = Invocation(
      ["validate", "--json", "--max-findings", "0"] + document.judging + document.now + [document.file.string])
    invocation.keepsOutput = true
    invocation.mayFind = true
    return invocation
  }

  /// Returns the invocation for a step.
  static func figure(_ figure: Figure, of document: Document, in scratch: Scratch) -> Invocation {
    let jobs = ["--jobs", String(figure.jobs)]
    let file = document.file.string
    switch figure.step {
    case .parse:
      let rules = ["--no-config", "--rules", scratch.rules.string, "--duplicate-keys", "allow"]
      return Invocation(["validate", "--json", "--max-findings", "0"] + rules + jobs + [file])
    case .validate:
      var invocation = Invocation(
        ["validate", "--json", "--max-findings", "0"] + document.judging + document.now + jobs + [file])
      invocation.mayFind = true
      return invocation
    case .convert: return Invocation(["convert", "--compact"] + jobs + [file, "-"])
    case .compress:
      return Invocation(["compress"] + jobs + [document.kind.isCompressed ? scratch.plain.string : file, "-"])
    case .decompress:
      return Invocation(["decompress"] + jobs + [document.kind.isCompressed ? file : scratch.compressed.string, "-"])
    case .import: return importing(document, scratch, jobs)
    case .merge:
      let mode = ["--mode", "merge", "--on-conflict", "replace"]
      return Invocation(["import", file, "--into", scratch.database.string] + mode + document.judging + document.now + jobs)
    case .export:
      return Invocation(
        ["export", scratch.database.string, scratch.nowhere(for: document.kind).string] + document.judging + jobs)
    case .shellImport:
      var invocation = shell(scratch.plainDatabase, [".read \(scratch.importScript.quotedForShell)"])
      invocation.emptyFolder = scratch.plainFolder
      return invocation
    case .shellExport: return shell(scratch.database, [".mode json", ".read \(scratch.selectScript.quotedForShell)"])
    }
  }

  static func importing(_ document: Document, _ scratch: Scratch, _ jobs: [String] = []) -> Invocation {
    let mode = ["--mode", "replace", "--force"]
    var invocation = Invocation(
      ["import", document.file.string, "--into", scratch.database.string] + mode + document.judging + document.now + jobs)
    invocation.emptyFolder = scratch.databaseFolder
    return invocation
  }

  /// Writes the tables of the database as CSV, and the scripts that read them.
  ///
  /// The shell itself writes the scripts, because only it knows the tables. Quoted text in dot commands has C escapes.
  static func makingTables(_ scratch: Scratch) -> Invocation {
    let file = scratch.tablesFolder.appending("t").quotedForShell.dropLast().replacing("'", with: "''")
    let tables = #"FROM sqlite_schema AS s WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY rowid"#
    let columns = #"(SELECT group_concat(printf('"%w" %s', name, type), ', ') FROM pragma_table_info(s.name))"#
    let rows = #"printf('SELECT * FROM "%w";', name)"#
    var invocation = shell(
      scratch.database,
      [
        ".output \(scratch.importScript.quotedForShell)",
        "SELECT 'CREATE TABLE t' || rowid || ' (' || \(columns) || ');' \(tables)",
        ".print '.mode csv'",
        "SELECT '.import \(file)' || rowid || '.csv\" t' || rowid \(tables)",
        ".output \(scratch.selectScript.quotedForShell)",
        "SELECT \(rows) \(tables)",
        ".output \(scratch.writeScript.quotedForShell)",
        ".print '.mode csv'",
        "SELECT '.output \(file)' || rowid || '.csv\"' || char(10) || \(rows) \(tables)",
        ".output",
        ".read \(scratch.writeScript.quotedForShell)",
      ])
    invocation.emptyFolder = scratch.tablesFolder
    return invocation
  }

  /// - Parameter commands: SQL statements or dot commands.
  private static func shell(_ database: FilePath, _ commands: [String]) -> Invocation {
    // Ignores the user's configuration file, and stops after a failed command.
    var invocation = Invocation(["-init", "/dev/null", "-batch", "-bail", database.string] + commands)
    invocation.program = .shell
    return invocation
  }
}

extension FilePath {
  /// The path as a quoted argument of a dot command.
  fileprivate var quotedForShell: String {
    let escaped = string.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    return "\"\(escaped)\""
  }
}
