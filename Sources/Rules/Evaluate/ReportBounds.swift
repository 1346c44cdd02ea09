import Findings

/// The limits for detailed findings of a stretch, given all findings before it. The rest is only counted.
package struct ReportBounds: Sendable {
  var maximumFindings: Int
  /// The most memory for their details, in bytes.
  var findingMemory: Int
  /// What earlier findings leave for those of the stretch.
  var findings: FindingCollector.Bounds
  /// The number of places to keep, by the program's rules about newer members.
  var newerMembers: [Int]

  /// Creates the bounds for a document's start.
  init(_ program: RuleProgram, _ options: RuleEvaluator.Options) {
    self.init(
      maximumFindings: options.maximumFindings, findingMemory: options.findingMemory, findings: FindingCollector.Bounds(),
      newerMembers: Array(repeating: min(options.maximumFindings, 1 << 13), count: program.versionRules.count))
  }

  init(maximumFindings: Int, findingMemory: Int, findings: FindingCollector.Bounds, newerMembers: [Int]) {
    self.maximumFindings = maximumFindings
    self.findingMemory = findingMemory
    self.findings = findings
    self.newerMembers = newerMembers
  }
}
