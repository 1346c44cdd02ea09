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
    noteMeasures()
    for collection in rules.collections {
      guard let tokens = collection.pointer.pointerTokens else { continue }
      for key in collection.keys where key.fields.count > 1 { joint.formUnion(key.fields.map { tokens + ["*"] + $0 }) }
    }
    walk(rules.root, [], 0)
    for file in plan.files { add(file) }
    for index in candidates.indices { candidates[index].order = index }
  }

  private mutating func noteMeasures() {
    for schema in rules.schemas {
      for keyword in schema.keywords {
        let data: Schema.DataReference? =
          switch keyword.assertion {
          case .bound(_, .data(let data)), .formatBound(_, _, .data(let data)), .equalsData(let data), .amongData(let data): data
          default: nil
          }
        if let data, case .root(let tokens) = data.origin { measures.insert(tokens) }
      }
    }
  }

  // MARK: Walking

  private mutating func walk(_ schema: Int, _ path: [String], _ depth: Int) {
    guard path.count < Self.depthLimit, depth < 64 else { return }
    guard seen.insert("\(schema) \(path)").inserted else { return }
    for keyword in rules.schemas[schema].keywords {
      switch keyword.assertion {
      case .reference(let target), .dynamicReference(let target, _): walk(target, path, depth + 1)
      case .allOf(let parts): for part in parts { walk(part, path, depth + 1) }
      case .condition where path.isEmpty:
        // The condition depends on another value of the envelope, which may carry a defect itself.
        continue
      case .condition(_, let then, let otherwise):
        for part in [then, otherwise].compactMap({ $0 }) { walk(part, path, depth + 1) }
      case .dependentSchemas(let dependencies): for dependency in dependencies { walk(dependency.schema, path, depth + 1) }
      case .anyOf(let parts), .oneOf(let parts): addChoice(keyword, parts, path)
      case .members(let members):
        for member in members.named {
          if let refusal = refusal(member.schema) { add(refusal, path + [member.name], .replace(Self.strangers)) }
          walk(member.schema, path + [member.name], depth + 1)
        }
        if let additional = members.additional, let refusal = refusal(additional) {
          add(refusal, path + [Self.unknownName], .replace([.string("sunny"), .string("дождь"), .string("snow/ice")]))
        }
      case .unevaluatedMembers(let schema):
        if let refusal = refusal(schema) { add(refusal, path + [Self.unknownName], .replace([.string("sunny")])) }
      case .items(let prefix, let rest):
        if let rest, prefix.isEmpty { walk(rest, path + ["*"], depth + 1) }
      default: add(keyword, path)
      }
    }
  }

  /// Sorts after most formats' member names.
  private static let unknownName = "weather"
  private static let strangers: [JSONTree] = [.string("2026-09-01T08:00:00Z"), .boolean(true), .number("3")]

  /// Returns the keyword that makes a schema reject everything, or `nil` if there is none.
  private func refusal(_ schema: Int, depth: Int = 0) -> Schema.Keyword? {
    guard depth < 16 else { return nil }
    for keyword in rules.schemas[schema].keywords {
      switch keyword.assertion {
      case .never: return keyword
      case .not(let inner) where rules.schemas[inner].keywords.isEmpty: return keyword
      case .reference(let target): if let found = refusal(target, depth: depth + 1) { return found }
      case .allOf(let parts): for part in parts { if let found = refusal(part, depth: depth + 1) { return found } }
      default: break
      }
    }
    return nil
  }

  // MARK: Candidates

  private mutating func add(_ keyword: Schema.Keyword, _ path: [String]) {
    switch keyword.assertion {
    case .required(let names): for name in names { add(keyword, path + [name], .remove) }
    case .dependentRequired(let dependencies):
      for name in dependencies.flatMap(\.required) { add(keyword, path + [name], .remove) }
    case .uniqueKey(let key): addKey(keyword, key.fields, path)
    case .foreignKey(let key): addReference(keyword, key, path)
    case .bound(let comparison, .data(let data)): add(keyword, path, .beyond(data, comparison, nil))
    case .formatBound(let format, let comparison, .data(let data)): add(keyword, path, .beyond(data, comparison, format))
    case .formatBound(let format, .atMost, .now), .formatBound(let format, .lessThan, .now): add(keyword, path, .future(format))
    case .sortedBy(let order):
      guard case (.collection, let rest)? = split(path + ["*"]), rest.isEmpty else { return }
      add(keyword, path + ["*"] + order.field, .misplace(isDescending: order.isDescending))
    case .equalsData, .amongData, .countOf, .sumOf: add(keyword, path, .differ)
    default:
      let values = Violations.of(keyword.assertion)
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
    append(
      DefectVariant(
        kind: DefectKind(code: keyword.code), code: keyword.code, site: site, path: rest + [names[0]],
        change: .removeAll(names.map { rest + [$0] }), pointers: [rest], location: keyword.origin.location))
  }

  private mutating func addKey(_ keyword: Schema.Keyword, _ fields: [Schema.FieldPath], _ path: [String]) {
    guard let (site, rest) = split(path + ["*"]) else { return }
    // The site is the record itself for a collection, and the array for an array in a record.
    let isRecord = rest.isEmpty
    guard !fields.contains(where: { $0.contains("*") }), isRecord || rest.last == "0" else { return }
    let array = isRecord ? [] : Array(rest.dropLast())
    let item = isRecord ? [] : array + ["1"]
    if isRecord, case .envelope = site { return }
    append(
      DefectVariant(
        kind: DefectKind(code: keyword.code), code: keyword.code, site: site, path: isRecord ? fields[0] : array,
        change: isRecord ? .key(fields) : .itemKey(fields), pointers: fields.map { item + $0 } + [item],
        location: keyword.origin.location))
  }

  private mutating func addReference(_ keyword: Schema.Keyword, _ key: Schema.ForeignKey, _ path: [String]) {
    guard let (site, rest) = split(path + ["*"]) else { return }
    let shown = rest + key.findingField.map { $0 == "*" ? "0" : $0 }
    for (position, field) in key.fields.enumerated() {
      let place = rest + field.map { $0 == "*" ? "0" : $0 }
      for target in key.targets {
        guard case .root(let tokens) = target.resource,
          let collection = plan.collections.firstIndex(where: { $0.tokens == tokens && $0.array >= 0 })
        else { continue }
        func add(_ change: DefectVariant.Change) {
          append(
            DefectVariant(
              kind: DefectKind(code: keyword.code), code: keyword.code, site: site, path: place, change: change,
              pointers: shown == place ? [shown] : [shown, place], location: keyword.origin.location))
        }
        let isConditional = target.whereSchema != nil || key.whenSchema != nil
        if !isConditional, key.fields.count == 1 { add(.dangling(collection: collection, field: target.field(position))) }
        if key.fields.count > 1, position > 0 { add(.mismatch(collection: collection, field: target.field(position))) }
        if target.whereSchema != nil, position == 0, !field.contains("*") {
          let branches = plan.branchesFailing(at: collection, references: plan.references)
          if branches != 0 {
            add(.misfit(collection: collection, branches: branches, fields: key.fields.map { rest + $0 }, targets: target.fields))
          }
        }
      }
      if key.targets.allSatisfy({ if case .relative = $0.resource { true } else { false } }) {
        append(
          DefectVariant(
            kind: DefectKind(code: keyword.code), code: keyword.code, site: site, path: place, change: .differ,
            pointers: shown == place ? [shown] : [shown, place], location: keyword.origin.location))
      }
    }
  }

  private mutating func add(_ keyword: Schema.Keyword, _ path: [String], _ change: DefectVariant.Change) {
    if case .replace = change, joint.contains(path) { return }
    guard let (site, rest) = split(path) else { return }
    var isContainer = false
    if case .types(let types) = keyword.assertion { isContainer = types.contains(.object) || types.contains(.array) }
    if case .envelope(let envelope) = site {
      // Skips values that others depend on, and their containers.
      let whole = envelope + rest
      if measures.contains(where: { $0.starts(with: whole) }) { return }
    }
    var kind = DefectKind(code: keyword.code, isContainer: isContainer)
    if kind == .future, case .replace = change { kind = .range }
    if kind == .future, case .beyond = change, keyword.grading.code == nil { kind = .order }
    append(
      DefectVariant(
        kind: kind, code: keyword.code, site: site, path: rest, change: change, pointers: [rest],
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
      add(.checksum, digest.grading.code ?? "checksum", digest.name, .otherDigest, digest.origin.location)
    }
  }

  private mutating func append(_ variant: DefectVariant) {
    if case .envelope = variant.site, variant.path.contains("*") { return }
    candidates.append(variant)
  }

  /// Returns the site that contains a path (a record of a collection, or a value of the envelope), and the rest of the path.
  private func split(_ path: [String]) -> (DefectVariant.Site, [String])? {
    for (number, collection) in plan.collections.enumerated() where collection.array >= 0 {
      if path.starts(with: collection.tokens + ["*"]) {
        return (.collection(number), path.dropFirst(collection.tokens.count + 1).map { $0 == "*" ? "0" : $0 })
      }
      // The collection itself, or one of its containers.
      if collection.tokens.starts(with: path) { return nil }
    }
    guard case .object(var object) = plan.generators[Int(plan.root)], plan.objects[Int(object)].holdsCollections else {
      return (.envelope([]), path.map { $0 == "*" ? "0" : $0 })
    }
    var site: [String] = []
    for name in path {
      site.append(name)
      guard let inner = plan.member(name, of: object), plan.objects[Int(inner)].holdsCollections else { break }
      object = inner
    }
    return (.envelope(site), path.dropFirst(site.count).map { $0 == "*" ? "0" : $0 })
  }
}

extension Plan {
  /// Returns the object of a member of an object's first branch.
  fileprivate func member(_ name: String, of object: Int32) -> Int32? {
    let branch = branches[Int(objects[Int(object)].branches.lowerBound)]
    for number in branch.members where names[Int(members[Int(number)].name)] == name {
      if case .object(let inner) = generators[Int(members[Int(number)].generator)] { return inner }
    }
    return nil
  }

  /// Returns the branches of a collection's records to which at least one reference must not refer.
  fileprivate func branchesFailing(at collection: Int, references: [ReferencePlan]) -> UInt64 {
    let count = UInt64(objects[Int(collections[collection].object)].branches.count)
    let all: UInt64 = count >= 64 ? .max : (1 << count) - 1
    var failing: UInt64 = 0
    for reference in references where Int(reference.collection) == collection && reference.branches != .max {
      failing |= all & ~reference.branches
    }
    return failing
  }
}
