import JSONEvents
import Rules

/// The rules between values.
extension SchemaWriter {
  /// The fields of the primary keys, or of a unique key in their place, by record.
  var primaryKeys: [Int: String] {
    var keys: [Int: String] = [:]
    for case .unique(let record, let field, let isPrimary, _) in proposals.map(\.proposal.kind)
    where keys[record] == nil || isPrimary { keys[record] = field }
    return keys
  }

  /// Returns the keys and references of an array's records.
  func keyRules(of record: Int) -> DraftMembers {
    var members = DraftMembers()
    var keys: [JSONValue.Located] = []
    var references: [JSONValue.Located] = []
    for (number, proposal) in proposals {
      switch proposal.kind {
      case .unique(record, let field, let isPrimary, let acrossArrays):
        var key = annotations(of: proposal)
        key.add("fields", .text(field))
        if acrossArrays { key.add("acrossArrays", .boolean(true)) }
        if isPrimary, !isProvisional, members.isEmpty {
          members.add("primaryKey", key.object)
        } else {
          key.add("code", code(number))
          keys.append(key.object)
        }
      case .reference(record, let fields, let targets):
        var reference = annotations(of: proposal)
        reference.add("fields", .text(fields))
        let resources = targets.map { target in
          JSONValue.Located.object([("resource", .text(target.resource)), ("fields", .text(target.field))])
        }
        reference.add("reference", resources.count == 1 ? resources[0] : .list(resources))
        reference.add("code", code(number))
        references.append(reference.object)
      default: break
      }
    }
    if !keys.isEmpty { members.add("uniqueKeys", .list(keys)) }
    if !references.isEmpty { members.add("foreignKeys", .list(references)) }
    return members
  }

  private func annotations(of proposal: Proposal) -> DraftMembers {
    var members = DraftMembers()
    if !isProvisional { members.add("$comment", .text(proposal.evidence)) }
    return members
  }

  private func code(_ number: Int) -> JSONValue.Located? { isProvisional ? .text(Proposal.code(number)) : nil }

  /// Returns the count, sum or order of a value, with its evidence; all that are proposed if they are to be proven.
  func relation(of index: Int) -> (rules: DraftMembers, evidence: String?) {
    var parts: [DraftMembers] = []
    for (number, proposal) in proposals {
      var rule = DraftMembers()
      switch proposal.kind {
      case .count(index, let array): rule.add("countOf", .text(array))
      case .sum(index, let values): rule.add("sumOf", .object([("values", .text(values)), ("tolerance", .text("0.01"))]))
      case .order(index, let field, let format):
        // A part of `allOf` has no format next to it.
        if isProvisional, let format { rule.add("format", .text(format.name)) }
        rule.add(format == nil ? "minimum" : "formatMinimum", .object([("$data", .text("1/\(field.pointerToken)"))]))
      default: continue
      }
      if !isProvisional { return (rule, proposal.evidence) }
      rule.add("code", code(number))
      parts.append(rule)
    }
    var members = DraftMembers()
    if !parts.isEmpty { members.add("allOf", .list(parts.map(\.object))) }
    return (members, nil)
  }
}
