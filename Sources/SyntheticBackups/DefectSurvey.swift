import JSONEvents
import Rules

/// Collects defect candidates from the rules: for every rule the changes that break it, with the expected finding.
///
/// A change may also break other rules, or none in some records: ``DefectTrial`` checks that.
struct DefectSurvey {
  private let rules: RuleDocument
  private let plan: Plan
  private(set) var candidates: [DefectVariant] = []
  /// Values that other values depend on. They carry no defects.
  private var measures: Set<[String]> = []
  private var seen: Set<String> = []
  /// Fields of composite keys, by full path: two records with the same wrong value would cause an additional finding.
  private var joint: Set<[String]> = []

  private static let depthLimit = 8

  init(_ rules: RuleDocument, _ plan: Plan) {
    self.rules = rules
    self.plan = plan
    for keyword in rules.schemas.flatMap(\.keywords) {
      switch keyword.assertion {
      case .bound(_, .data(let data)), .formatBound(_, _, .data(let data)), .equalsData(let data), .amongData(let data):
        if case .root(let tokens) = data.origin { measures.insert(tokens) }
      default: break
      }
    }
    for collection in rules.collections {
      guard let tokens = collection.pointer.pointerTokens else { continue }
      for key in collection.keys where key.fields.count > 1 { joint.formUnion(key.fields.map { tokens + ["*"] + $0 }) }
    }
    walk(rules.root, [], 0)
    for file in plan.files { add(file) }
    for index in candidates.indices { candidates[index].order = index }
  }

  // MARK: Walking

  private mutating func walk(_ schema: Int, _ path: [String], _ depth: Int) {
    guard path.count < Self.depthLimit, depth < 64 else { return }
    guard seen.insert("\(schema) \(path)").inserted else { return }
    for keyword in rules.schemas[schema].keywords {
      switch keyword.assertion {
      case .condition where path.isEmpty:
        // The condition depends on another value of the envelope, which may carry a defect itself.
        continue
      case .anyOf(let parts), .oneOf(let parts): addChoice(keyword, parts, path)
      case .members(let members):
        for member in members.named {
          if let refusal = refusal(member.schema) { add(refusal, path + [member.name], .replace(Self.strangers)) }
          walk(member.schema, path + [member.name], depth + 1)
        }
        if let additional = members.additional, let refusal = refusal(additional) {
          add(refusal, path + [Self.unknownName], .replace([.string("sunny"), .string("дождь"), .string("snow/ice")]))
        }
        if let additional = members.additional, plan.collections.contains(where: { $0.isMap && $0.tokens == path }) {
          walk(additional, path + ["*"], depth + 1)
        }
      case .unevaluatedMembers(let schema):
        if let refusal = refusal(schema) { add(refusal, path + [Self.unknownName], .replace([.string("sunny")])) }
      case .items(let prefix, let rest):
        if let rest, prefix.isEmpty { walk(rest, path + ["*"], depth + 1) }
      default:
        for part in keyword.assertion.inPlace where part.application != .tested { walk(part.schema, path, depth + 1) }
        add(keyword, path)
      }
    }
  }

  /// Sorts after most formats' member names.
  private static let unknownName = "weather"
  private static let strangers: [JSONValue] = [.string("2026-09-01T08:00:00Z"), .boolean(true), .number("3")]

  /// Returns the keyword that makes a schema reject everything, or `nil` if there is none.
  private func refusal(_ schema: Int, depth: Int = 0) -> Schema.Keyword? {
    guard depth < 16 else { return nil }
    for keyword in rules.schemas[schema].keywords {
      switch keyword.assertion {
      case .never: return keyword
      case .not(let inner) where rules.schemas[inner].keywords.isEmpty: return keyword
      default:
        for part in keyword.assertion.inPlace where part.application == .always {
          if let found = refusal(part.schema, depth: depth + 1) { return found }
        }
      }
    }
    return nil
  }

  // MARK: Candidates

  private mutating func add(_ keyword: Schema.Keyword, _ path: [String]) {
    switch keyword.assertion {
    case .required(let names): for name in names { add(keyword, path + [name], .remove(nil)) }
    case .dependentRequired(let dependencies):
      for name in dependencies.flatMap(\.required) { add(keyword, path + [name], .remove(nil)) }
    case .uniqueKey(let key): addKey(keyword, key.fields, path)
    case .foreignKey(let key): addReference(keyword, key, path)
    case .bound(let comparison, .data(let data)): add(keyword, path, .beyond(data, comparison, nil))
    case .formatBound(let format, let comparison, .data(let data)): add(keyword, path, .beyond(data, comparison, format))
    case .formatBound(let format, .atMost, .now), .formatBound(let format, .lessThan, .now): add(keyword, path, .future(format))
    case .sortedBy(let order):
      guard case (.collection, let rest)? = split(path + ["*"]), rest.isEmpty else { return }
      add(keyword, path + ["*"] + order.field, .beyond(nil, order.isDescending ? .atMost : .atLeast, nil))
    case .equalsData, .amongData, .countOf, .sumOf: add(keyword, path, .differ)
    default:
      let values = keyword.assertion.violations
      if !values.isEmpty { add(keyword, path, .replace(values)) }
    }
  }

  /// Adds a defect for alternative required members: all of them are removed.
  private mutating func addChoice(_ keyword: Schema.Keyword, _ parts: [Int], _ path: [String]) {
    var names: [String] = []
    for part in parts {
      for inner in rules.schemas[part].keywords {
        guard case .required(let required) = inner.assertion else { return }
        names += required
      }
    }
    guard !names.isEmpty, let (site, rest) = split(path) else { return }
    append(keyword, site, rest + [names[0]], .remove(names.map { rest + [$0] }), pointers: [rest])
  }

  private mutating func addKey(_ keyword: Schema.Keyword, _ fields: [Schema.FieldPath], _ path: [String]) {
    guard let (site, rest) = split(path + ["*"]), !fields.contains(where: { $0.contains("*") }) else { return }
    if case .collection(let number) = site, rest.isEmpty {
      let branches = Set(plan.collections[number].branches.indices)
      let change = DefectVariant.Change.copy(fields, from: number, branches: branches, fields: fields)
      append(keyword, site, fields[0], change, pointers: fields + [[]])
    } else if rest.last == "0" {
      let array = Array(rest.dropLast())
      let item = array + ["1"]
      append(keyword, site, array, .itemKey(fields), pointers: fields.map { item + $0 } + [item])
    }
  }

  private mutating func addReference(_ keyword: Schema.Keyword, _ key: Schema.ForeignKey, _ path: [String]) {
    guard let (site, rest) = split(path + ["*"]) else { return }
    func place(of field: Schema.FieldPath) -> [String] { rest + field.map { $0 == "*" ? "0" : $0 } }
    let shown = place(of: key.findingField)
    for (position, field) in key.fields.enumerated() {
      let place = place(of: field)
      let pointers = shown == place ? [shown] : [shown, place]
      var changes: [DefectVariant.Change] = []
      for target in key.targets {
        guard case .root(let tokens) = target.resource,
          let collection = plan.collections.firstIndex(where: { $0.tokens == tokens && $0.isDescribed })
        else { continue }
        let branches = Set(plan.collections[collection].branches.indices)
        var targetField = target.field(position)
        if targetField.isEmpty, plan.collections[collection].isMap { targetField = [Schema.recordName] }
        if key.fields.count > 1, position > 0 {
          changes.append(.copy([place], from: collection, branches: branches, fields: [targetField]))
        } else if key.fields.count == 1, target.whereSchema == nil, key.whenSchema == nil {
          changes.append(.dangling(collection: collection, field: targetField))
        }
        if let condition = target.whereSchema, position == 0, !field.contains("*") {
          let others = branches.subtracting(plan.collections[collection].fitting[condition] ?? [])
          changes.append(.copy(key.fields.map { rest + $0 }, from: collection, branches: others, fields: target.fields))
        }
      }
      if key.targets.allSatisfy({ if case .relative = $0.resource { true } else { false } }) { changes.append(.differ) }
      for change in changes { append(keyword, site, place, change, pointers: pointers) }
    }
  }

  private mutating func add(_ keyword: Schema.Keyword, _ path: [String], _ change: DefectVariant.Change) {
    if case .replace = change, joint.contains(path) { return }
    guard let (site, rest) = split(path) else { return }
    if case .envelope(let envelope) = site {
      // Skips values that others depend on, and their containers.
      let whole = envelope + rest
      if measures.contains(where: { $0.starts(with: whole) }) { return }
    }
    append(keyword, site, rest, change, pointers: [rest])
  }

  private mutating func append(
    _ keyword: Schema.Keyword, _ site: DefectVariant.Site, _ path: [String], _ change: DefectVariant.Change, pointers: [[String]]
  ) {
    var isContainer = false
    if case .types(let types) = keyword.assertion { isContainer = types.contains(.object) || types.contains(.array) }
    var kind = DefectKind(code: keyword.code, isContainer: isContainer)
    switch change {
    case .replace where kind == .future: kind = .range
    case .beyond where kind == .future && keyword.grading.code == nil: kind = .order
    default: break
    }
    candidates.append(
      DefectVariant(
        kind: kind, code: keyword.code, site: site, path: path, change: change, pointers: pointers,
        location: keyword.origin.location))
  }

  /// Adds the defects of a file that contradicts its record.
  private mutating func add(_ file: FilePlan) {
    func add(_ kind: DefectKind, _ code: String, _ field: String, _ change: DefectVariant.Change, _ location: String) {
      candidates.append(
        DefectVariant(
          kind: kind, code: code, site: .collection(file.collection), path: [field], change: change, pointers: [[field]],
          location: location))
    }
    add(.fileMissing, file.code, file.field, .omit, file.location)
    if let size = file.entry.size { add(.size, size.grading.code ?? "size", size.name, .differ, size.origin.location) }
    if let digest = file.entry.digest {
      add(.checksum, digest.grading.code ?? "checksum", digest.name, .differ, digest.origin.location)
    }
  }

  /// Returns the site that contains a path (a record of a collection, or a value of the envelope), and the rest of the path.
  private func split(_ path: [String]) -> (DefectVariant.Site, [String])? {
    var recipe: Recipe? = plan.root
    var site: [String] = []
    for (index, name) in path.enumerated() {
      switch recipe {
      case .collection(let number)?:
        guard name == "*" else { return nil }
        return (.collection(number), path.dropFirst(index + 1).map { $0 == "*" ? "0" : $0 })
      case .object(let branches)? where recipe?.holdsRecords == true:
        site.append(name)
        recipe = branches[0].members.first { $0.name == name }?.recipe
      default: return (.envelope(site), path.dropFirst(index).map { $0 == "*" ? "0" : $0 })
      }
    }
    // A collection itself, or one of its containers, carries no defects.
    return recipe?.holdsRecords == true ? nil : (.envelope(site), [])
  }
}
