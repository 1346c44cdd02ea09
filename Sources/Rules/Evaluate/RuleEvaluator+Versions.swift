import Findings

/// The version that a document declares, and members that a later version introduced (`since`).
extension RuleEvaluator {
  /// Notes a member that a later version of the format introduced. It is a violation only if the document declares an earlier
  /// version.
  mutating func noteNewerMember(_ check: RuleProgram.Check, _ scalar: Scalar?) {
    let index = Int(check.operand)
    partial.newerMembers[index].count += 1
    if partial.newerMembers[index].remaining > 0 { partial.newerMembers[index].append(subject(of: scalar)) }
  }

  mutating func reportNewerMembers() {
    guard let declared = declaredVersion.flatMap({ ExactDecimal($0) })?.int64 else { return }
    for (versionRule, member) in zip(program.versionRules, partial.newerMembers) where declared < Int64(versionRule.version) {
      let words = program.rules[Int(versionRule.rule)]
      for subject in member.subjects {
        emit(
          versionRule.rule, subject,
          words.message ?? "version \(versionRule.version) introduced this member, but the document declares \(declared)")
      }
      partial.collector.count(member.count - member.subjects.count, words.graded(words.severity))
    }
  }

  /// The version that the document declares, as spelled there, or `nil` before it has been read, or if the rules don't say where
  /// it is.
  package var declaredVersion: String? {
    guard program.versionCell >= 0 else { return nil }
    let value = globalCells[Int(program.versionCell)]
    return value.kind == .number || value.kind == .string ? String(decoding: value.text, as: UTF8.self) : nil
  }
}
