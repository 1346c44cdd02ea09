/// How much a stretch of a document has to report in detail, after all that was found before it: the rest is only counted.
package struct ReportBounds: Sendable {
  var maximumFindings: Int
  /// Findings behind it are not kept.
  var lastOffset: Int
  /// How many places are wanted, by the program's rules about members of later versions.
  var newerMembers: [Int]

  /// The bounds of a document's start.
  init(_ program: RuleProgram, _ options: RuleEvaluator.Options) {
    self.init(
      maximumFindings: options.maximumFindings, lastOffset: .max,
      newerMembers: Array(repeating: min(options.maximumFindings, 1 << 13), count: program.versionRules.count))
  }

  init(maximumFindings: Int, lastOffset: Int, newerMembers: [Int]) {
    self.maximumFindings = maximumFindings
    self.lastOffset = lastOffset
    self.newerMembers = newerMembers
  }
}
