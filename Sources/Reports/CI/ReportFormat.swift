/// A format of reports on validated documents; its raw value is its name for users.
public enum ReportFormat: String, CaseIterable, Sendable {
  /// Lines for people: ``TextReport``.
  case text
  /// Coffer's own JSON: ``JSONReport``.
  case json
  /// SARIF 2.1.0, as GitHub's code scanning requires it.
  case sarif
  /// JUnit's XML: a suite for each file, a test case for each rule.
  case junit
  /// GitHub's workflow commands, which annotate lines.
  case github
  /// A job summary in GitHub's Markdown.
  case markdown
  /// GitLab's Code Quality report.
  case gitlab
  /// Reviewdog's diagnostics, a JSON object on each line.
  case rdjsonl
  /// Checkstyle's XML.
  case checkstyle
  /// A page for people, without scripts and requests.
  case html
}
