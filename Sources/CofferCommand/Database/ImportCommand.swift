import ArgumentParser
import CofferTransfer

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Bring a backup into a SQLite database, all or nothing.",
    discussion: """
      In this order: the format is told, the backup is validated (findings of severity error refuse it), an older one is \
      migrated, what would change is counted, the database is copied, and everything goes into it in one transaction, whose \
      result is checked before it counts. Whatever interrupts that, the database is as it was before, or as it is to be.

      Each collection is a table: a row a record, a column a field. Numbers that are no whole ones, and dates, keep their text; \
      nested values are JSON; fields that nobody knows are kept in the column 'more'. coffer export gives all of it back.

      A merge goes by primary key, and importing twice changes nothing the second time; records without a key are added only \
      if there are fewer equal ones. A replacement asks on a terminal, and elsewhere takes --force.

      Before rows change, the database is copied to DB.before-import-TIME.sqlite; the newest three copies are kept. The files of \
      a ZIP go to DB.files, together with the rows.

      Examples:
        coffer import export.json --into backup.db
        coffer import export.json --into backup.db --dry-run
        coffer import friday.json.lz4 --into backup.db --on-conflict keep-newest
        coffer import backup.zip --into photos.db --mode replace --force
        gunzip -c export.json.gz | coffer import - --into backup.db

      Exit status: 0 imported; 1 findings of severity error; 2 wrong usage or rules; 3 something can't be read or written, is no \
      JSON or no database; 4 nothing done, because data would have been lost: a newer version, another format, a conflict, a \
      lock, a full disk; 5 no verdict, because the rules ask for more than a limit \
      allows; 129, 130 and 143 ended by SIGHUP, Ctrl-C or SIGTERM, and rolled back.
      """)

  @Argument(
    help: ArgumentHelp("The backup, as it is, compressed by LZ4 or in a ZIP; - is standard input.", valueName: "file"))
  var file: String

  @OptionGroup var arguments: ImportArguments

  func run() throws { try arguments.run(file) }
}
