import Rules

/// Types that rules imply without a `type` keyword.
extension Conjunction {
  /// True if the rules describe an object: no other type is allowed, or they constrain its members.
  var isAboutObjects: Bool {
    types == .object || types.contains(.object) && (!members.isEmpty || !required.isEmpty || memberCount.lowerBound > 0)
  }

  /// True if its items are records: objects, or values with members that keys, references or orders use.
  var holdsRecords: Bool {
    guard let rest else { return !recordFields.isEmpty }
    return rest.alternatives.contains { $0.isAboutObjects || !recordFields.isEmpty && $0.types.contains(.object) }
  }

  /// The members of its items that keys, references and orders use.
  var recordFields: [String] {
    var names: [String] = []
    for field in keys.flatMap(\.fields) + references.flatMap(\.fields) + orders.map(\.field) {
      if field.count == 1, let name = field.first, name != "*", !names.contains(name) { names.append(name) }
    }
    return names
  }

  /// Adds members that no rule describes yet.
  mutating func mention(_ names: [String]) {
    for name in names where types.contains(.object) && !members.contains(where: { $0.name == name }) && !required.contains(name) {
      members.append(Member(name: name, shape: shape(ofMember: name)))
    }
  }
}
