/// The resources and definitions of a schema document, chosen before its schemas, which refer to them.
///
/// A reference that is applied to the same place leads only to a higher level, so that references never form a cycle. Below an
/// item or a member, any reference is possible.
struct SchemaLayout {
  enum Anchor: CaseIterable { case none, plain, dynamic }

  struct Resource {
    /// The last segment of its URI.
    let name: String
    /// The kind of the anchor `#node`: the root, which is on level 0 and may be recursive.
    let node: Anchor
    /// The kind of the anchor `#leaf`: a definition of the highest level.
    let leaf: Anchor
  }

  struct Definition {
    let name: String
    /// The resource whose `$defs` has the definition.
    let resource: Int
    let level: Int
    let anchor: String?
  }

  static let folder = "http://example.test/"
  static let leafLevel = 100
  /// The level of schemas that are applied to another place, below all others.
  static let anyLevel = -1

  private(set) var resources: [Resource] = []
  private(set) var definitions: [Definition] = []

  init(_ values: inout RandomValues) {
    let count = [1, 1, 1, 2, 3][values.below(5)]
    for index in 0..<count {
      resources.append(
        Resource(
          name: index == 0 ? "root" : "r\(index)", node: Self.anchor(&values), leaf: count > 1 ? Self.anchor(&values) : .none))
    }
    for level in 0..<values.below(4) {
      definitions.append(
        Definition(
          name: ["d\(level)", "d/\(level)", "d~\(level)", "é\(level)"][values.chance(1, of: 3) ? values.below(4) : 0],
          resource: values.below(count), level: level + 1, anchor: values.chance(1, of: 3) ? "at\(level)" : nil))
    }
  }

  private static func anchor(_ values: inout RandomValues) -> Anchor {
    values.chance(2, of: 3) ? .dynamic : Anchor.allCases[values.below(3)]
  }

  /// Returns a `$ref` or `$dynamicRef` from a schema, or `nil` if there is nothing to refer to.
  ///
  /// - Parameter level: The level that references in place must rise above.
  func reference(from resource: Int, above level: Int, _ values: inout RandomValues) -> (keyword: String, target: String)? {
    let target = values.below(resources.count)
    let isElsewhere = target != resource || values.chance(1, of: 5)
    let uri = isElsewhere ? (values.chance(1, of: 2) ? resources[target].name : Self.folder + resources[target].name) : ""
    switch values.below(5) {
    case 0 where level == Self.anyLevel: return ("$ref", isElsewhere ? uri : "#")
    case 1 where level == Self.anyLevel && resources[target].node != .none:
      return (values.chance(3, of: 4) ? "$dynamicRef" : "$ref", "\(uri)#node")
    case 1, 2:
      guard level < Self.leafLevel, resources[target].leaf != .none else { return nil }
      return (values.chance(3, of: 4) ? "$dynamicRef" : "$ref", "\(uri)#leaf")
    default:
      guard
        let definition = definitions.filter({ $0.resource == target && $0.level > level }).randomElement(using: &values.random)
      else { return nil }
      if let anchor = definition.anchor, values.chance(2, of: 3) { return ("$ref", "\(uri)#\(anchor)") }
      let name = definition.name.replacing("~", with: "~0").replacing("/", with: "~1").replacing("é", with: "%C3%A9")
      return (values.chance(1, of: 6) ? "$dynamicRef" : "$ref", "\(uri)#/$defs/\(name)")
    }
  }
}
