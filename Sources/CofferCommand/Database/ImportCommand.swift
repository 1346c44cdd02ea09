import ArgumentParser
import CofferSQLite

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import a backup into a SQLite database, all or nothing.",
    discussion: """
      The steps: detect the format, validate the backup (errors refuse it), migrate it if it is older, count what would \
      change, copy the database, and write everything in one transaction, which is checked before the commit. Whatever \
      interrupts an import, the database is either as before or complete.

      Each collection is a table, each record a row, each field a column. Dates and numbers other than integers keep their \
      text; nested values are JSON; unknown fields go to the column 'coffer_extra'. coffer export restores all of it.

      A merge matches rows by primary key; importing twice changes nothing the second time. A record without a key is added \
      only if the database has fewer equal ones. A replacement asks on a terminal, and needs --force elsewhere.

      Before rows change, the database is copied to DB.before-import-TIME.sqlite. The newest three copies are kept. The \
      files of a ZIP go to DB.files in the same transaction as the rows.

      Examples:
        coffer import export.json --into backup.db
        coffer import export.json --into backup.db --dry-run
        coffer import friday.json.lz4 --into backup.db --on-conflict keep-newest
        coffer import backup.zip --into photos.db --mode replace --force
        xz -dc export.json.xz | coffer import - --into backup.db

      Exit status: 0 imported; 1 findings of severity error; 2 wrong usage or rules; 3 something can't be read or written, is not \
      JSON or not a database; 4 nothing done, because data would have been lost: a newer version, another format, a conflict, a \
      lock, a full disk; 5 no verdict, because the rules ask for more than a limit \
      allows; 129, 130 and 143 ended by SIGHUP, Ctrl-C or SIGTERM, and rolled back.
      """)

  @Argument(
    help: ArgumentHelp("The backup: JSON (also in LZ4, gzip or zstd), or a ZIP; - is standard input.", valueName: "file"),
    completion: .backup)
  var file: String

  @OptionGroup var arguments: ImportArguments

  @OptionGroup var reading: ReadingArguments

  func run() throws { try arguments.run(file, reading) }
}

extension ImportCommand: LoggedCommand {
  var logArgument: LogArgument { arguments.logArgument }
  var loggedFiles: [String] { [file, arguments.database] }
  var usedFiles: [String] { arguments.usedFiles }
  var usedFolders: [String] { arguments.usedFolders }
  var ruleArguments: RuleArguments { reading.ruleArguments }
}
