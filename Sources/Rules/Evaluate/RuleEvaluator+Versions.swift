import Findings

/// The version that a document declares, and members that came with a later one (`since`).
extension RuleEvaluator {
  /// A member that came with a later version of the format: an offence only if the document declares an earlier one.
  mutating func noteNewerMember(_ check: RuleProgram.Check, _ scalar: Scalar?) {
    let rule = Int(check.rule)
    newerMembers[rule, default: NewerMember(version: Int(check.operand))].count += 1
    guard newerMembers[rule]?.subjects.count ?? 0 < options.maximumFindings else { return }
    let subject = subject(of: scalar)
    newerMembers[rule]?.subjects.append(subject)
  }

  mutating func reportNewerMembers() {
    guard let declared = declaredVersion.flatMap({ ExactDecimal($0) })?.int64 else { return }
    for (rule, member) in newerMembers.sorted(by: { $0.key < $1.key }) where declared < Int64(member.version) {
      let words = program.rules[rule]
      for subject in member.subjects {
        emit(
          Int32(rule), subject,
          words.message ?? "this member came with version \(member.version), the document declares \(declared)")
      }
      collector.count(member.count - member.subjects.count, severity: words.severity, code: words.code)
    }
  }

  /// The version that the document declares, as its own text; `nil` before it has been read, or where the rules don't say where it stands.
  package var declaredVersion: String? {
    guard program.versionCell >= 0 else { return nil }
    let value = globalCells[Int(program.versionCell)]
    return value.kind == .number || value.kind == .string ? String(decoding: value.text, as: UTF8.self) : nil
  }
}
