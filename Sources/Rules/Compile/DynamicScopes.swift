/// Resolves `$dynamicRef` by the evaluation path: the resources entered since the root, if they have anchors that some
/// `$dynamicRef` looks for (core, section 8.2.3.2).
///
/// The path is known when rules are compiled, so dynamic references cost nothing during evaluation. A schema that is reached on
/// two paths that differ here becomes two states.
struct DynamicScopes {
  /// The schema of the outermost resource that has an anchor, by anchor.
  private typealias Scope = [ExactText: Int]

  private let anchors: [[ExactText: Int]]
  private var scopes: [Scope] = [[:]]
  private var numbers: [Scope: Int] = [[:]: 0]
  private var transitions: [Transition: Int] = [:]

  private struct Transition: Hashable {
    let scope: Int
    let resource: Int
  }

  /// The scope before any resource is entered.
  static let outermost = 0

  /// - Parameter anchors: by resource, the schemas that dynamic references may resolve to.
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
