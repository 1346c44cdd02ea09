import ArgumentParser

/// `FORMAT=FILE`.
struct ReportDestination<Format: ReportFormatArgument>: ExpressibleByArgument {
  let format: Format
  let path: String

  init?(argument: String) {
    guard let sign = argument.firstIndex(of: "="), let format = Format(rawValue: String(argument[..<sign])) else {
      return nil
    }
    self.format = format
    path = String(argument[argument.index(after: sign)...])
    // Only one report can go to standard output: that of --output-format.
    if path.isEmpty || path == "-" { return nil }
  }

  static var allValueStrings: [String] { Format.allCases.map { "\($0.rawValue)=FILE" } }
}
