import ByteStreams
import JSONEvents
import Rules

/// Reads one step of a migration.
///
///     {"default": "/cars/*/carType", "value": "electric"}
///     {"rename": "/jobs/*/title", "to": "name"}
struct MigrationStepReader {
  private let value: JSONValue.Located
  /// The step's location in the descriptor.
  private let pointer: String
  private let name: String
  private let path: [MigrationPath.Token]

  /// The allowed members next to the step's keyword.
  private static let words: [String: [String]] = [
    "default": ["value", "now", "orNull"], "set": ["value", "now"], "rename": ["to"], "drop": [], "map": ["values", "otherwise"],
    "move": ["to"], "split": ["pattern", "into"], "convert": ["from", "to"], "scale": ["by"], "wrap": [],
  ]

  init(_ value: JSONValue.Located, at pointer: String) throws(CofferError) {
    let known = Self.words.keys.sorted()
    guard let members = value.object else {
      throw CofferError(rules: "expected an object with one of \(known.joined(separator: ", "))", at: pointer, value.position)
    }
    let names = members.map(\.key).filter { Self.words[$0] != nil }
    guard let name = names.first, names.count == 1, let place = value[name], let words = Self.words[name] else {
      let near = members.first.map { Suggestion.text(for: $0.key, among: known) } ?? ""
      throw CofferError(
        rules: names.isEmpty
          ? "expected one of \(known.joined(separator: ", "))\(near)"
          : "a step has only one operation: \(names.joined(separator: " or "))", at: pointer, value.position)
    }
    let allowed = words + [name, "where", "$comment"]
    for member in members where !allowed.contains(member.key) {
      throw CofferError(
        rules: "unknown member '\(member.key)' in \(name)\(Suggestion.text(for: member.key, among: allowed))",
        at: pointer + "/" + member.key.pointerToken, member.keyPosition)
    }
    self.value = value
    self.pointer = pointer
    self.name = name
    path = try MigrationPath.tokens(of: place, at: "\(pointer)/\(name)")
  }

  /// - Parameter isRepeated: True if the step runs on every migration, instead of once on the way to a version.
  func step(isRepeated: Bool) throws(CofferError) -> MigrationStep {
    var path = path
    let (operation, summary) = try operation(&path)
    let condition = try value["where"].map { value throws(CofferError) in
      try MigrationCondition(value, at: pointer + "/where")
    }
    if isRepeated, condition == nil, operation.hasNoEnd {
      throw mistake("this step would repeat on every migration: add the resulting version (to) or a condition on records (where)")
    }
    if case .wrap = operation, condition != nil { throw mistake("wrap can't have 'where': it applies only to the root") }
    return MigrationStep(
      name: name, pointer: value[name]?.string ?? "", summary: summary, path: path, operation: operation, condition: condition)
  }

  private func operation(_ path: inout [MigrationPath.Token]) throws(CofferError) -> (MigrationStep.Operation, String) {
    switch name {
    case "default":
      try checkMember()
      let (filling, text) = try filling()
      return (.fill(filling, replacesNull: try boolean("orNull")), "filled with \(text)")
    case "set":
      try checkMember()
      let (filling, text) = try filling()
      return (.set(filling), "set to \(text)")
    case "rename":
      try checkMember()
      let to = try text("to", "the new name of the member, such as \"name\"")
      return (.rename(to: MemberName(to)), "renamed to \(to)")
    case "drop":
      try checkMember()
      return (.drop, "dropped")
    case "map": return (try map(), "mapped")
    case "move": return try move(&path)
    case "split": return try split()
    case "convert":
      let (from, to) = (try format("from"), try format("to"))
      return (.convert(from: from, to: to), "converted from \(from.name) to \(to.name)")
    case "scale":
      guard let number = value["by"]?.number, let factor = ExactDecimal(number), !factor.isZero, factor.digitCount <= 18 else {
        throw mistake("scale needs 'by', a nonzero number of up to 18 digits", at: "by")
      }
      return (.scale(factor), "multiplied by \(number)")
    default:
      guard let names = path.memberNames, names.count == 1 else {
        throw mistake("wrap needs the name of one member: \"/entries\"", at: name)
      }
      path = []
      return (.wrap(names[0]), "wrapped in an object")
    }
  }

  // MARK: Parts

  private func map() throws(CofferError) -> MigrationStep.Operation {
    guard let members = value["values"]?.object, !members.isEmpty else {
      throw mistake("map needs 'values', an object from old strings to new values", at: "values")
    }
    let table = members.map { MigrationStep.Mapping(text: Array($0.key.utf8), value: $0.value.value) }
    return .map(table, otherwise: value["otherwise"]?.value)
  }

  private func move(_ path: inout [MigrationPath.Token]) throws(CofferError) -> (MigrationStep.Operation, String) {
    try checkMember()
    guard let target = value["to"] else { throw mistake("move needs 'to', the destination", at: "to") }
    let to = try MigrationPath.tokens(of: target, at: pointer + "/to")
    let shared = (path.lastIndex(of: .items) ?? -1) + 1
    guard Array(to.prefix(shared)) == Array(path.prefix(shared)), let from = Array(path[shared...]).memberNames,
      to.count > shared, let names = Array(to[shared...]).memberNames
    else {
      throw mistake("a value can move only within its record, or within the envelope", at: "to")
    }
    guard !names.starts(with: from), !from.starts(with: names) else {
      throw mistake("a value can't move into itself, or replace an object that contains it", at: "to")
    }
    path = Array(path.prefix(shared))
    return (.move(from, to: names), "moved to \(names.map(\.text).joined(separator: "/"))")
  }

  private func split() throws(CofferError) -> (MigrationStep.Operation, String) {
    try checkMember()
    let names = value["into"]?.array?.compactMap(\.string) ?? []
    guard !names.isEmpty, names.count == value["into"]?.array?.count, Set(names).count == names.count else {
      throw mistake("split needs 'into', a list of distinct member names, one per group of the pattern", at: "into")
    }
    let source = try text("pattern", "a pattern with one group per member")
    let pattern: Pattern
    do {
      pattern = try Pattern(source, capturesGroups: true)
    } catch {
      throw mistake("invalid pattern: \(error.message)", at: "pattern")
    }
    guard pattern.groupCount == names.count else {
      throw mistake("expected \(names.count) groups, one per member, found \(pattern.groupCount)", at: "pattern")
    }
    return (.split(pattern, into: names.map { MemberName($0) }), "split into \(names.joined(separator: ", "))")
  }

  private func filling() throws(CofferError) -> (MigrationStep.Value, String) {
    switch (value["value"], value["now"]) {
    case (let literal?, nil): return (.literal(literal.value), literal.text)
    case (nil, _?):
      let format = try format("now")
      return (.now(format), "the current time")
    default: throw mistake("\(name) needs 'value', or 'now' with a time format")
    }
  }

  private func format(_ word: String) throws(CofferError) -> StringFormat {
    let known: [StringFormat] = [.dateTime, .dateTimeSeconds, .unixTime, .unixTimeMilliseconds, .appleReferenceTime]
    guard let name = value[word]?.string, let format = StringFormat(name: name), known.contains(format) else {
      throw mistake("expected a time format: \(known.map(\.name).joined(separator: ", "))", at: word)
    }
    return format
  }

  private func boolean(_ word: String) throws(CofferError) -> Bool {
    guard let value = value[word] else { return false }
    guard let boolean = value.boolean else { throw mistake("expected true or false", at: word) }
    return boolean
  }

  private func text(_ word: String, _ expected: String) throws(CofferError) -> String {
    guard let text = value[word]?.string else { throw mistake("\(name) needs '\(word)', \(expected)", at: word) }
    return text
  }

  /// Checks that the path leads to a member.
  private func checkMember() throws(CofferError) {
    if case .items? = path.last { throw mistake("\(name) applies to members of an object, not to items ('*')", at: name) }
  }

  private func mistake(_ message: String, at word: String? = nil) -> CofferError {
    let position = word.flatMap { value[$0] }?.position ?? value.position
    return CofferError(rules: message, at: word.map { "\(pointer)/\($0)" } ?? pointer, position)
  }
}

extension MigrationStep.Operation {
  /// True if repeating the operation changes a value again.
  fileprivate var hasNoEnd: Bool {
    switch self {
    case .scale: true
    case .convert(let from, let to): from.appliesToNumbers == to.appliesToNumbers
    case .map(let table, _):
      // A result may be an input again.
      table.contains { entry in
        table.contains { $0.isText(of: entry.value) && !$0.isText(of: $0.value) } && !entry.isText(of: entry.value)
      }
    case .set(.now): true
    case .fill, .set, .rename, .drop, .move, .split, .wrap: false
    }
  }
}

extension MigrationStep.Mapping {
  /// Returns true if the value is the string that this entry maps.
  fileprivate func isText(of value: JSONValue) -> Bool {
    if case .string(let other) = value { Array(other.utf8) == text } else { false }
  }
}
