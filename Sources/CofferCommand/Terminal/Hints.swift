import Coffer
import Findings
import JSONEvents

/// What a user of the command can do about an error or a finding: the library's messages name no options.
enum Hint {
  /// The hint for each code. It counts if the verb has the option, or if it has none; of several for one code, the first that counts.
  private static let table: [(code: CofferError.Code, option: String?, text: String)] = [
    (.ambiguousFormat, "--rules", "name one with --rules"),
    (.damagedPartial, "--plan", "coffer validate --partial writes partial results, and --keys rows about keys"),
    (.depthLimit, "--max-depth", "--max-depth raises the limit, up to \(ReaderLimits.largestDepth)"),
    (.differentVersions, nil, "coffer migrate OLD NEW migrates a backup"),
    (.findings, "--allow-findings", "--allow-findings imports what the tables can store"),
    (.invalidScan, nil, "coffer split scan writes scans"),
    (.keyRows, "--violations", "tasks write rows with --keys, and --violations passes the results of coffer report keys on them"),
    (.limit, "--max-entries", "--max-size, --max-ratio and --max-entries set the limits of what is expanded"),
    (.limit, "--max-size", "--max-size and --max-ratio set the limits of what is expanded"),
    (.lineLimit, "--max-string", "--max-string raises the limit, up to 1GiB"),
    (.newerVersion, "--allow-newer", "--allow-newer imports it"),
    // The code is of CofferSQLite, which not all builds have.
    (CofferError.Code(rawValue: "no-backup"), "--only", "import one with coffer import"),
    (
      .noKey, "--key",
      "--key /t=id names the key of the records of /t, --key /t= compares them as whole values, --whole-arrays takes those of one backup"
    ),
    (.noSpace, "--scratch", "choose another folder with --scratch"),
    (.noTime, "--on-conflict", "--on-conflict keep-existing or replace decides"),
    (.notAnArray, "--collection", "JSON Lines are the items of an array; name one with --collection"),
    (CofferError.Code(rawValue: "not-run"), "--sql-checks", "--sql-checks runs the checks in SQL"),
    (CofferError.Code(rawValue: "not-run"), nil, "coffer validate --sql-checks runs the checks in SQL"),
    (.outsideFolder, "--refs", "--refs FOLDER lets references lead to files in that folder"),
    (.ruleLimit, "--memory-limit", "--memory-limit raises the limits that depend on memory"),
    (.scanSyntax, "--scans", "name the same --input-format for all"),
    (.severalDocuments, "--input-format", "--input-format seq reads several documents, ndjson one per line"),
    (.sqliteDatabase, nil, "coffer export FILE export.json exports a backup from a database"),
    (.tokenLimit, "--max-string", "--max-string raises the limit, up to 1GiB"),
    (
      .unknownFormat, "--key",
      "name one with --rules, or the records' keys with --key, such as /expenses=id, or =id for JSON Lines"
    ),
    (.unknownFormat, "--rules", "name one with --rules"),
    (.unnamedScan, "--scans", "coffer split scan --name names it"),
    (CofferError.Code(rawValue: "padding"), nil, "coffer recover removes the zeros"),
    (
      .unresolvedReference, "--map",
      "--map URI=FOLDER names the folder of documents that rules refer to by URI, --refs FOLDER that of relative references"
    ),
  ]

  /// The hints that text reports show, by the code of what they are about.
  static let inReports = [
    "ambiguous": "name one with --rules", "damaged": "coffer recover writes the records that are whole",
    "drafted-rules": "coffer rules draft writes them down, to check and to edit",
    "imported-findings": "coffer validate reports them",
    "migrated-findings": "coffer migrate writes it, coffer validate reports them",
    "no-rules": "name them with --rules, or check only the syntax with --syntax-only",
    "not-shown": "--max-findings sets the number of those that are", "unrecognised": "name a format of your own with --rules",
    "undetected": "name it with --rules",
  ]

  /// Returns the hints for codes, each once.
  private static func texts(for codes: [CofferError.Code]) -> [String] {
    let candidates = codes.flatMap { code in table.filter { $0.code == code } }
    if candidates.isEmpty { return [] }
    var options = Run.current.verbOptions()
    // The value that was named is no array.
    if Run.current.options.contains("--collection") { options.remove("--collection") }
    var known: Set<CofferError.Code> = []
    return candidates.filter { $0.option.map(options.contains) != false && known.insert($0.code).inserted }.map(\.text)
  }

  /// Returns the hint for an error, or else for its cause.
  static func text(for error: CofferError) -> String? {
    let known = texts(for: [error.code, (error.underlying as? CofferError)?.code].compactMap(\.self)).first
    // Only verbs that read documents have this option. If the first byte is wrong, it is another kind of file.
    guard known == nil, error.isDamage, error.place.position?.offset != 0, Run.current.verbOptions().contains("--max-depth")
    else {
      return known
    }
    return inReports["damaged"]
  }

  /// Prints each hint for the errors and findings of reports once.
  static func print(for reports: [ValidationReport]) {
    print(for: reports.compactMap(\.error), reports.flatMap(\.findings))
    // The reports on damaged documents say it.
    if reports.contains(where: { $0.error?.isDamageOfArchive == true }), let text = inReports["damaged"] {
      Output.printNotice("coffer: \(text)")
    }
  }

  static func print(for errors: [CofferError], _ findings: [Finding] = []) {
    let causes = errors.compactMap { ($0.underlying as? CofferError)?.code }
    let codes = Set(errors.map(\.code) + causes + findings.map { CofferError.Code(rawValue: $0.code) })
    for text in texts(for: codes.sorted { $0.rawValue < $1.rawValue }) { Output.printNotice("coffer: \(text)") }
  }
}
