public import ArgumentParser
import ByteStreams
import Coffer
public import CofferFolders
import Platform
import SystemPackage

/// The folder of backups to read.
struct FolderArguments: ParsableArguments {
  @Argument(.folder, "The folder of backups.")
  var folder: String

  @Option(
    .rules,
    "Consider only backups of this format: its name (see: coffer formats) or the path of its rule document (default: all built-in formats)."
  )
  var rules: String?

  func validate() throws {
    // Scripts pass an empty name if a variable isn't set.
    if folder.isEmpty { throw ValidationError("the folder's name is empty; '.' is the current folder") }
  }

  /// The files of the run. A report in the folder would replace a backup, or be listed later.
  func use(_ ruleArguments: RuleArguments, reports: [String] = []) -> FileUse {
    FileUse(inputs: [folder], rules: [rules], ruleArguments: ruleArguments, reports: reports, folders: [folder])
  }

  /// Calls `body` with the folder and the time. Prints errors, and throws the exit status.
  func look<R>(for verb: some ReadingVerb, _ body: (BackupFolder, Instant) throws -> R) throws -> R {
    let now = verb.clock.instant
    return try verb.look(at: folder, rules: rules, now: now, cache: cache(verb.ruleArguments)) { try body($0, now) }
  }

  /// The user's cache. There is none if rules may be in other documents.
  private func cache(_ ruleArguments: RuleArguments) -> VerdictCache? {
    guard ruleArguments.folders.isEmpty, let folder = Self.cacheFolder else { return nil }
    let version = Version.text + (ruleArguments.assertFormats.map { $0 ? ", --assert-formats" : ", --no-assert-formats" } ?? "")
    return VerdictCache(in: folder, version: version, startedAt: .now)
  }

  /// The folder for caches of the command: `XDG_CACHE_HOME`, or else the system's usual one. Runs within tests have none.
  private static var cacheFolder: FilePath? {
    guard StandardStreams.current.belongToProcess else { return nil }
    #if canImport(Darwin)
      let usual = Terminal.path("HOME")?.appending("Library").appending("Caches")
    #else
      let usual = Terminal.path("HOME")?.appending(".cache")
    #endif
    return (Terminal.path("XDG_CACHE_HOME") ?? usual)?.appending("coffer")
  }
}

extension ReadingVerb {
  /// Calls `body` with a folder. Prints errors, and throws the exit status.
  func look<R>(
    at folder: String, rules: String?, now: Instant, cache: VerdictCache? = nil, _ body: (BackupFolder) throws -> R
  ) throws -> R {
    let configuration = try FileUse(inputs: [folder], rules: [rules], ruleArguments: ruleArguments).configuration()
    let formats = try rules.map { FormatCatalog([try configuration.format(named: $0)]) } ?? configuration.catalog
    var options = BackupFolder.Options(now: now)
    options.knownFormats = configuration.catalog
    if rules == nil, let assigned = configuration.assignedFormats(in: folder) {
      options.assignedFormat = assigned
    } else {
      options.cache = cache
    }
    return try progressArgument.show("reading backups") { progress in
      options.execution = execution(progress)
      return try body(BackupFolder(FilePath(folder), formats: formats, options: options))
    }
  }
}

extension BackupAge: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}
