import ArgumentParser
import Coffer
import CofferCatalog
import Reports

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Say what a folder of backups holds: when each was made, what it is, and whether it is valid.",
    usage: "coffer list [<options>] <folder>",
    discussion: """
      A backup is a file that ends in .json, .json.lz4 or .zip, and whose content is of a known format; or whose name is one \
      that a format gives its backups, whatever it holds. The newest stands first. Its date is its own; where it says none, \
      that of its name, in local time, and else when the file was last written to: then the table says so.

      Each backup is read to its end, and validated. coffer validate shows all that is wrong with one. Files with such an \
      ending that can't be restored are listed, each with the reason.

      Examples:
        coffer list backups
        coffer list backups --json
        coffer list backups --rules swiff         those of one format alone
        coffer list backups --rules my-app.json   those of a format of your own

      Exit status: 0 done, whatever the backups are, and if there are none; 2 wrong usage or rules; 3 the folder can't be \
      read, or the output can't be written; 4 the output finds the disk full.
      """)

  @OptionGroup var catalogArguments: CatalogArguments

  @OptionGroup var reportArguments: ReportArguments

  func validate() throws {
    try catalogArguments.ruleArguments.check([catalogArguments.rules], against: [reportArguments.output])
  }

  func run() throws {
    try catalogArguments.look { catalog, now in
      let listing = try catalog.listing()
      try Interruption.stop()
      try reportArguments.write(json: JSONReport().text(of: listing, now: now)) { $0.text(of: listing, now: now) }
    }
  }
}
