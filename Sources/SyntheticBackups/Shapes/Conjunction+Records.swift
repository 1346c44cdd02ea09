import Rules

/// What rules are about that don't say so by `type`.
extension Conjunction {
  /// Whether objects are meant: nothing else may stand there, or what they hold is spoken of.
  var isAboutObjects: Bool {
    types == .object || types.contains(.object) && (!members.isEmpty || !required.isEmpty || memberCount.lowerBound > 0)
  }

  /// Whether its items, if it has any, are records: objects, or what keys tell apart or lead from by their members.
  var holdsRecords: Bool {
    guard let rest else { return !recordFields.isEmpty }
    return rest.alternatives.contains { $0.isAboutObjects || !recordFields.isEmpty && $0.types.contains(.object) }
  }

  /// The members of its items that keys and references speak of.
  var recordFields: [String] {
    var names: [String] = []
    for field in keys.flatMap(\.fields) + references.flatMap(\.fields) {
      if field.count == 1, let name = field.first, name != "*", !names.contains(name) { names.append(name) }
    }
    return names
  }

  /// Has members be there of which nothing is said yet.
  mutating func mention(_ names: [String]) {
    for name in names where types.contains(.object) && !members.contains(where: { $0.name == name }) && !required.contains(name) {
      members.append(Member(name: name, shape: shape(ofMember: name)))
    }
  }
}
