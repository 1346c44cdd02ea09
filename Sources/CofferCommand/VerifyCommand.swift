import ArgumentParser
import Coffer
import CofferCatalog
import Reports

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Prove that every backup in a folder is valid, and can be read to its end.",
    usage: "coffer verify [<options>] <folder>",
    discussion: """
      What is a backup, coffer list --help says. Each is read to its end and checked against the rules of its format; of a ZIP \
      all files, too, with the checksums and digests that it says they have.

      Examples:
        coffer verify backups
        coffer verify backups --json
        coffer verify backups --rules swiff

      Exit status: 0 all are valid; 1 one has findings of severity error, or is of a newer version than is known here; 2 wrong \
      usage or rules; 3 one is damaged or can't be read, there are no backups, or the folder can't be read, or the output \
      can't be written; 4 the output finds the disk full.
      """)

  @OptionGroup var catalogArguments: CatalogArguments

  @OptionGroup var reportArguments: ReportArguments

  func run() throws {
    let listing = try catalogArguments.look { catalog, now in
      let listing = try catalog.listing()
      try Interruption.stop()
      try reportArguments.write(json: JSONReport().text(of: listing, now: now)) { $0.verdicts(on: listing) }
      return listing
    }
    // Whoever has an empty folder verified expects backups there.
    if listing.backups.isEmpty { throw ExitStatus.unreadable }
    if let status = listing.backups.map(\.soundness.status).max(), status != .sound { throw status }
  }
}

extension CatalogedBackup.Soundness {
  fileprivate var status: ExitStatus {
    switch self {
    case .valid: .sound
    case .invalid, .newer: .findings
    case .damaged, .unreadable: .unreadable
    }
  }
}
