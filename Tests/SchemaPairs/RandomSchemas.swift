import TestSupport

/// Random schemas over the values of `RandomValues`: all keywords of draft 2020-12, especially those that depend on each other.
struct RandomSchemas {
  var values: RandomValues
  let layout: SchemaLayout
  /// The number of schemas that may still be added, which keeps documents small.
  var remaining = 0

  /// The place of a schema.
  struct Site {
    let resource: Int
    /// The level that references to the same place must rise above.
    let level: Int
    var depth = 0

    /// The site of a schema that is applied to the same place.
    var inPlace: Site { Site(resource: resource, level: level, depth: depth + 1) }
    /// The site of a schema that is applied to an item or a member.
    var below: Site { Site(resource: resource, level: SchemaLayout.anyLevel, depth: depth + 1) }
  }

  static func document(seed: UInt64) -> RandomTree {
    var schemas = RandomSchemas(seed)
    return schemas.document()
  }

  private init(_ seed: UInt64) {
    var values = RandomValues(random: SeededRandom(seed: seed))
    layout = SchemaLayout(&values)
    self.values = values
  }

  // MARK: The document

  private mutating func document() -> RandomTree {
    var root = resource(0)
    root.insert(("$schema", .string("https://json-schema.org/draft/2020-12/schema")), at: 0)
    return .object(root)
  }

  private typealias Members = [(name: String, value: RandomTree)]

  /// Returns the members of a resource's root: its keywords, its definitions, and for the root the other resources.
  private mutating func resource(_ index: Int) -> Members {
    let resource = layout.resources[index]
    remaining = index == 0 ? [2, 4, 8][values.below(3)] : 3
    var members = keywords(Site(resource: index, level: 0))
    members.insert(
      ("$id", .string(index == 0 || values.chance(1, of: 2) ? SchemaLayout.folder + resource.name : resource.name)), at: 0)
    if let anchor = keyword(of: resource.node) { members.append((anchor, .string("node"))) }
    var definitions: Members = []
    for definition in layout.definitions where definition.resource == index {
      remaining = 3
      var body = keywords(Site(resource: index, level: definition.level))
      if let anchor = definition.anchor { body.append(("$anchor", .string(anchor))) }
      definitions.append((definition.name, .object(body)))
    }
    if let anchor = keyword(of: resource.leaf) {
      remaining = 1
      definitions.append(
        ("leaf", .object(keywords(Site(resource: index, level: SchemaLayout.leafLevel, depth: 1)) + [(anchor, .string("leaf"))])))
    }
    if index == 0 {
      for other in layout.resources.indices.dropFirst() {
        definitions.append((layout.resources[other].name, .object(self.resource(other))))
      }
    }
    if !definitions.isEmpty { members.append(("$defs", .object(definitions.shuffled(using: &values.random)))) }
    return members
  }

  private func keyword(of anchor: SchemaLayout.Anchor) -> String? {
    switch anchor {
    case .none: nil
    case .plain: "$anchor"
    case .dynamic: "$dynamicAnchor"
    }
  }

  // MARK: Schemas

  mutating func schema(_ site: Site) -> RandomTree {
    remaining -= 1
    if values.chance(1, of: 10) { return .scalar(values.chance(3, of: 4) ? "true" : "false") }
    return .object(keywords(site))
  }

  mutating func schemas(_ count: Int, _ site: Site) -> RandomTree { .array((0..<count).map { _ in schema(site) }) }

  mutating func schemas(of names: [String], _ site: Site) -> RandomTree { .object(names.map { ($0, schema(site)) }) }

  /// Returns a schema's keywords in any order. Each family checks one kind of value, and adds a few keywords that interact.
  private mutating func keywords(_ site: Site) -> [(name: String, value: RandomTree)] {
    var keywords: [String: RandomTree] = [:]
    let isSmall = remaining <= 0 || site.depth > 4
    switch values.below(isSmall ? 4 : 12) {
    case 0: scalarKeywords(&keywords)
    case 1, 2: valueKeywords(&keywords)
    case 3: sizeKeywords(&keywords)
    case 4, 5, 6, 7: objectKeywords(&keywords, site)
    default: arrayKeywords(&keywords, site)
    }
    if !isSmall || values.chance(1, of: 3) {
      if !isSmall, values.chance(2, of: 3) { combiningKeywords(&keywords, site) }
      if values.chance(1, of: 3), let (keyword, target) = layout.reference(from: site.resource, above: site.level, &values) {
        keywords[keyword] = .string(target)
      }
      if values.chance(1, of: 6) { keywords["unevaluatedProperties"] = unevaluated(site) }
      if values.chance(1, of: 6) { keywords["unevaluatedItems"] = unevaluated(site) }
    }
    return keywords.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }.shuffled(using: &values.random)
  }

  mutating func unevaluated(_ site: Site) -> RandomTree {
    values.chance(1, of: 2) ? .scalar("false") : schema(site.below)
  }
}
