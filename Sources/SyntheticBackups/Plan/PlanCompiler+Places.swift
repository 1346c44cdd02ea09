import JSONEvents
import Rules

/// Locates the values that other values depend on.
extension PlanCompiler {
  /// Returns a place relative to the containers around a value. The last container is level 1.
  func place(from containers: [Container], level: Int, _ tokens: [String], _ context: Context) -> Int32? {
    guard level >= 1, level <= containers.count else { return nil }
    let index = containers.count - level
    var path = tokens
    var object = index
    if containers[index].isArray {
      // The path to an array from the enclosing object.
      guard let around = containers[..<index].lastIndex(where: { !$0.isArray }) else { return nil }
      path = Array(containers[index].path.dropFirst(containers[around].path.count)) + tokens
      object = around
    }
    let up = context.containers[(object + 1)...].reduce(0) { $0 + ($1.isArray ? 0 : 1) }
    let slice = pathSlice(path)
    plan.places.append(DataPlace(up: Int32(up), path: slice))
    return Int32(plan.places.count - 1)
  }

  /// Returns the place of a data reference, or `nil` if the value would depend on itself.
  func place(of data: Schema.DataReference, _ context: Context) -> Int32? {
    let target: [String]
    switch data.origin {
    case .root(let tokens): target = tokens
    case .ancestor(let levels, let field):
      guard levels <= context.containers.count else { return nil }
      target = context.containers[context.containers.count - levels].path + [field]
    }
    if !noteMeasure(of: context.path, by: target) { return nil }
    switch data.origin {
    case .root(let tokens):
      let slice = pathSlice(tokens)
      plan.places.append(DataPlace(up: -1, path: slice))
      return Int32(plan.places.count - 1)
    case .ancestor(let levels, let field): return place(from: context.containers, level: levels, [field], context)
    }
  }

  /// Returns the place of a sum's summands, or `nil` if the sum itself would be one of them.
  func place(of resource: Schema.Resource, _ context: Context) -> Int32? {
    switch resource {
    case .root(let tokens):
      if !noteMeasure(of: context.path, by: tokens) { return nil }
      let slice = pathSlice(tokens)
      plan.places.append(DataPlace(up: -1, path: slice))
      return Int32(plan.places.count - 1)
    case .relative(let levels, let tokens):
      if levels <= context.containers.count,
        !noteMeasure(of: context.path, by: context.containers[context.containers.count - levels].path + tokens)
      {
        return nil
      }
      return place(from: context.containers, level: levels, tokens, context)
    }
  }

  /// Notes that a value depends on another one.
  ///
  /// - Returns: False if the other already depends on it: that would be a cycle.
  private func noteMeasure(of value: [String], by other: [String]) -> Bool {
    var seen: Set<[String]> = [other]
    guard !follows(other, from: value, &seen) else { return false }
    measured[value, default: []].insert(other)
    return true
  }

  /// Returns true if a value equals another, contains it, is part of it, or depends on a value that does.
  private func follows(_ value: [String], from other: [String], _ seen: inout Set<[String]>) -> Bool {
    if Self.overlap(value, other) { return true }
    for (measured, measures) in measured where Self.overlap(measured, value) {
      for measure in measures where seen.insert(measure).inserted {
        if follows(measure, from: other, &seen) { return true }
      }
    }
    return false
  }

  private static func overlap(_ a: [String], _ b: [String]) -> Bool { a.starts(with: b) || b.starts(with: a) }
}
