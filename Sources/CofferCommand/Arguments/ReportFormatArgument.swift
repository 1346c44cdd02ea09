import ArgumentParser
import Reports

/// The formats of a command's reports.
protocol ReportFormatArgument: ExpressibleByArgument, CaseIterable, RawRepresentable<String>, Sendable {
  static var text: Self { get }
  static var json: Self { get }
  /// The help of the option that chooses one.
  static var optionHelp: String { get }
}

extension ReportFormat: ReportFormatArgument {
  static let optionHelp =
    "The report's format: text for people (the default), one JSON document for programs, or that of a CI system."
}

/// The formats of most reports.
enum PlainReportFormat: String, ReportFormatArgument {
  case text, json

  static let optionHelp = "The report's format: text for people (the default), or one JSON document for programs."
}

/// The formats of reports without findings that are also pages.
enum PageReportFormat: String, ReportFormatArgument {
  case text, json, html

  static let optionHelp =
    "The report's format: text for people (the default), one JSON document for programs, or a page (HTML) for people."
}
