/// What a `$dynamicRef` means, by the way on which evaluation came: the resources that were entered since the root, as far as they have
/// anchors that some `$dynamicRef` looks for (core, section 8.2.3.2).
///
/// The way is known when rules are compiled, so a dynamic reference costs nothing when they are evaluated: a schema that is come to on two
/// ways that differ here is two states.
struct DynamicScopes {
  /// By anchor: the schema of the outermost resource that has it.
  private typealias Scope = [ExactText: Int]

  private let anchors: [[ExactText: Int]]
  private var scopes: [Scope] = [[:]]
  private var numbers: [Scope: Int] = [[:]: 0]
  private var transitions: [Transition: Int] = [:]

  private struct Transition: Hashable {
    let scope: Int
    let resource: Int
  }

  /// Where nothing has been entered.
  static let outermost = 0

  /// - Parameter anchors: by resource, the schemas that dynamic references may be led to.
  init(_ anchors: [[ExactText: Int]]) { self.anchors = anchors }

  mutating func scope(_ scope: Int, entering resource: Int) -> Int {
    if anchors[resource].isEmpty { return scope }
    let transition = Transition(scope: scope, resource: resource)
    if let known = transitions[transition] { return known }
    let next = scopes[scope].merging(anchors[resource]) { outer, _ in outer }
    let number = numbers[next] ?? scopes.count
    if number == scopes.count {
      scopes.append(next)
      numbers[next] = number
    }
    transitions[transition] = number
    return number
  }

  func target(of anchor: ExactText, in scope: Int) -> Int? { scopes[scope][anchor] }
}
