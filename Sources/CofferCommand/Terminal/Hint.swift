import Coffer

/// What a user of the command can do about an error or a finding. The library's messages name no options.
enum Hint {
  private static let texts: [CofferError.Code: String] = [
    .unresolvedReference:
      "--map URI=FOLDER names the folder of documents that rules refer to by URI, --refs FOLDER that of relative references",
    .noKey:
      "--key /t=id names the key of the records of /t, --key /t= compares them as whole values, --whole-arrays takes those of one backup",
    .outsideFolder: "--refs FOLDER lets references lead to files in that folder",
  ]

  /// Returns the hint for an error, or else for its cause.
  static func text(for error: CofferError) -> String? {
    texts[error.code] ?? (error.underlying as? CofferError).flatMap { texts[$0.code] }
  }

  /// Prints each hint for the errors and findings of reports once.
  static func print(for reports: [ValidationReport]) {
    var codes: Set<CofferError.Code> = []
    for report in reports {
      if let error = report.error { codes.insert(error.code) }
      for finding in report.findings { codes.insert(CofferError.Code(rawValue: finding.code)) }
    }
    for (_, text) in texts.filter({ codes.contains($0.key) }).sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      Output.printNotice("coffer: \(text)")
    }
  }
}
