import ByteStreams
import JSONEvents
import Rules

/// Reads a descriptor's `migrations`.
struct MigrationReader {
  /// - Parameter version: The format's version policy.
  static func migrations(
    _ value: RuleValue?, _ version: BackupFormat.VersionPolicy?
  ) throws(CofferError) -> [Migration] {
    var migrations: [Migration] = []
    for item in try value?.expectItems(of: "migrations") ?? [] {
      let migration = try migration(item)
      try check(migration, after: migrations, version, item)
      migrations.append(migration)
    }
    return migrations
  }

  private static func migration(_ value: RuleValue) throws(CofferError) -> Migration {
    guard value.isObject else { throw value.error("expected an object with a list of steps") }
    try value.checkMembers(known: ["to", "becomes", "title", "when", "steps"], in: "a migration")
    let to = try value["to"].map { value throws(CofferError) in
      guard let version = value.number.flatMap({ ExactDecimal($0)?.int64 }) else {
        throw value.error("expected an integer version")
      }
      return Int(version)
    }
    guard let items = value["steps"]?.items else { throw value.error("a migration needs a list of steps") }
    let becomes = try value["becomes"]?.expectText()
    let steps = try items.map { item throws(CofferError) in
      try MigrationStepReader(item).step(isRepeated: to == nil && becomes == nil)
    }
    let criterion = try value["when"].map { value throws(CofferError) in try DetectionCriterion(value) }
    return Migration(title: try value["title"]?.expectText(), to: to, becomes: becomes, steps: steps, criterion: criterion)
  }

  /// Checks that migrations lead upwards from version to version, up to the current one.
  private static func check(
    _ migration: Migration, after others: [Migration], _ version: BackupFormat.VersionPolicy?, _ value: RuleValue
  ) throws(CofferError) {
    if let last = others.last, last.becomes != nil, last.criterion == nil {
      throw value.error(
        "unreachable migration: after a migration to another format, that format's own migrations follow")
    }
    guard let to = migration.to, migration.becomes == nil else { return }
    guard let version else {
      throw value.error("the descriptor declares no version pointer (backup.version)", at: "to")
    }
    guard to > version.oldest, to <= version.current else {
      throw value.error("expected a version after \(version.oldest), up to \(version.current)", at: "to")
    }
    if let before = others.last(where: { $0.to != nil })?.to, before > to {
      throw value.error("expected migrations in version order: \(before) came before", at: "to")
    }
  }
}

/// Reads one step of a migration.
///
///     {"default": "/cars/*/carType", "value": "electric"}
///     {"rename": "/jobs/*/title", "to": "name"}
struct MigrationStepReader {
  private let value: RuleValue
  private let name: String
  private let path: [MigrationPath.Token]

  /// The allowed members next to the step's keyword.
  private static let words: [String: [String]] = [
    "default": ["value", "now", "orNull"], "set": ["value", "now"], "rename": ["to"], "drop": [], "map": ["values", "otherwise"],
    "move": ["to"], "split": ["pattern", "into"], "convert": ["from", "to"], "scale": ["by"], "wrap": [],
  ]

  init(_ value: RuleValue) throws(CofferError) {
    let known = Self.words.keys.sorted()
    guard let members = value.members else {
      throw value.error("expected an object with one of \(known.joined(separator: ", "))")
    }
    let names = members.map(\.key).filter { Self.words[$0] != nil }
    guard let name = names.first, names.count == 1, let place = value[name], let words = Self.words[name] else {
      let near = members.first.map { Suggestion.text(for: $0.key, among: known) } ?? ""
      throw value.error(
        names.isEmpty
          ? "expected one of \(known.joined(separator: ", "))\(near)"
          : "a step has only one operation: \(names.joined(separator: " or "))")
    }
    try value.checkMembers(known: words + [name, "where"], in: name)
    self.value = value
    self.name = name
    path = try MigrationPath.tokens(of: place)
  }

  /// - Parameter isRepeated: True if the step runs on every migration, instead of once on the way to a version.
  func step(isRepeated: Bool) throws(CofferError) -> MigrationStep {
    var path = path
    let (operation, summary) = try operation(&path)
    let condition = try value["where"].map { value throws(CofferError) in try MigrationCondition(value) }
    if isRepeated, condition == nil, operation.hasNoEnd {
      throw value.error(
        "this step would repeat on every migration: add the resulting version (to) or a condition on records (where)")
    }
    if case .wrap = operation, condition != nil { throw value.error("wrap can't have 'where': it applies only to the root") }
    return MigrationStep(
      name: name, pointer: value[name]?.string ?? "", summary: summary, path: path, operation: operation, condition: condition)
  }

  private func operation(_ path: inout [MigrationPath.Token]) throws(CofferError) -> (MigrationStep.Operation, String) {
    switch name {
    case "default":
      try checkMember()
      let (filling, text) = try filling()
      return (.fill(filling, replacesNull: try value["orNull"]?.expectBoolean() ?? false), "filled with \(text)")
    case "set":
      try checkMember()
      let (filling, text) = try filling()
      return (.set(filling), "set to \(text)")
    case "rename":
      try checkMember()
      guard let to = value["to"]?.string else {
        throw value.error("rename needs 'to', the new name of the member, such as \"name\"", at: "to")
      }
      return (.rename(to: KnownName(to)), "renamed to \(to)")
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
        throw value.error("scale needs 'by', a nonzero number of up to 18 digits", at: "by")
      }
      return (.scale(factor), "multiplied by \(number)")
    default:
      guard let names = path.memberNames, names.count == 1 else {
        throw value.error("wrap needs the name of one member: \"/entries\"", at: name)
      }
      path = []
      return (.wrap(names[0]), "wrapped in an object")
    }
  }

  // MARK: Parts

  private func map() throws(CofferError) -> MigrationStep.Operation {
    guard let members = value["values"]?.members, !members.isEmpty else {
      throw value.error("map needs 'values', an object from old strings to new values", at: "values")
    }
    let table = members.map { MigrationStep.Mapping(text: Array($0.key.utf8), value: $0.value.json.value) }
    return .map(table, otherwise: value["otherwise"]?.json.value)
  }

  private func move(_ path: inout [MigrationPath.Token]) throws(CofferError) -> (MigrationStep.Operation, String) {
    try checkMember()
    guard let target = value["to"] else { throw value.error("move needs 'to', the destination", at: "to") }
    let to = try MigrationPath.tokens(of: target)
    let shared = (path.lastIndex(of: .items) ?? -1) + 1
    guard Array(to.prefix(shared)) == Array(path.prefix(shared)), let from = Array(path[shared...]).memberNames,
      to.count > shared, let names = Array(to[shared...]).memberNames
    else {
      throw value.error("a value can move only within its record, or within the envelope", at: "to")
    }
    guard !names.starts(with: from), !from.starts(with: names) else {
      throw value.error("a value can't move into itself, or replace an object that contains it", at: "to")
    }
    path = Array(path.prefix(shared))
    return (.move(from, to: names), "moved to \(names.map(\.string).joined(separator: "/"))")
  }

  private func split() throws(CofferError) -> (MigrationStep.Operation, String) {
    try checkMember()
    let items = value["into"]?.items ?? []
    let names = items.compactMap(\.string)
    guard !names.isEmpty, names.count == items.count, Set(names).count == names.count else {
      throw value.error("split needs 'into', a list of distinct member names, one per group of the pattern", at: "into")
    }
    guard let pattern = try value["pattern"]?.expectPattern(capturesGroups: true) else {
      throw value.error("split needs 'pattern', a pattern with one group per member", at: "pattern")
    }
    guard pattern.groupCount == names.count else {
      throw value.error("expected \(names.count) groups, one per member, found \(pattern.groupCount)", at: "pattern")
    }
    return (.split(pattern, into: names.map { KnownName($0) }), "split into \(names.joined(separator: ", "))")
  }

  private func filling() throws(CofferError) -> (MigrationStep.Value, String) {
    switch (value["value"], value["now"]) {
    case (let literal?, nil): return (.literal(literal.json.value), literal.json.text)
    case (nil, _?):
      let format = try format("now")
      return (.now(format), "the current time")
    default: throw value.error("\(name) needs 'value', or 'now' with a time format")
    }
  }

  private func format(_ word: String) throws(CofferError) -> StringFormat {
    let known: [StringFormat] = [
      .dateTime, .dateTimeSeconds, .appleDateTime, .unixTime, .unixTimeMilliseconds, .appleReferenceTime,
    ]
    guard let name = value[word]?.string, let format = StringFormat(name: name), known.contains(format) else {
      throw value.error("expected a time format: \(known.map(\.name).joined(separator: ", "))", at: word)
    }
    return format
  }

  /// Checks that the path leads to a member.
  private func checkMember() throws(CofferError) {
    if case .items? = path.last { throw value.error("\(name) applies to members of an object, not to items ('*')", at: name) }
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
