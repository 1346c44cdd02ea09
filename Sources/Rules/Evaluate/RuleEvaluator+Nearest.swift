/// Finds the alternative that a value was intended for, if it matches none.
extension RuleEvaluator {
  /// The distance of a value from the requirements of a branch.
  private struct Distance: Comparable {
    /// 2 if the value has another type, 1 if a member that distinguishes the alternatives (by `const`) names another one,
    /// otherwise 0.
    var kind = 0
    var count = 0

    static func < (a: Distance, b: Distance) -> Bool { a.kind != b.kind ? a.kind < b.kind : a.count < b.count }
  }

  /// Returns the branch that a value fails least: its findings say more than that none matches. `nil` if several are equally
  /// near, or none.
  mutating func nearest(of branches: Range<Int>, _ active: Int, from start: Int) -> Int? {
    var distances = [Distance](repeating: Distance(), count: branches.count)
    for index in start..<max(start, pending.count) where Int(pending[index].active) == active {
      guard let row = row(of: pending[index].slot, in: branches) else { continue }
      let number = row - branches.lowerBound
      if case .counted(let count) = pending[index].content {
        distances[number].count += count
      } else {
        distances[number].count += 1
      }
      if pending[index].isTypeMismatch {
        distances[number].kind = 2
      } else if Int(pending[index].depth) == frames.count, program.rules[Int(pending[index].rule)].keyword == "const" {
        distances[number].kind = max(distances[number].kind, 1)
      }
    }
    let meant = distances.indices.filter { distances[$0].count > 0 && distances[$0].kind < 2 }
    guard let least = meant.map({ distances[$0] }).min() else { return nil }
    let nearest = meant.filter { !(least < distances[$0]) }
    return nearest.count == 1 ? branches.lowerBound + nearest[0] : nil
  }

  /// Returns the first finding of each of the first three alternatives.
  mutating func alternatives(_ branches: Range<Int>, _ active: Int, _ start: Int) -> String? {
    var reasons: [String] = []
    for (number, row) in branches.enumerated().prefix(3) {
      guard
        let index = (min(start, pending.count)..<pending.count).first(where: {
          pending[$0].active == active && pending[$0].slot == program.branches[row]
        })
      else { continue }
      word(index)
      if case .worded(_, let message) = pending[index].content { reasons.append("(\(number + 1)) \(message.cut(to: 160))") }
    }
    if reasons.isEmpty { return nil }
    if branches.count > reasons.count { reasons.append("…") }
    return reasons.joined(separator: "; ")
  }
}

extension String {
  /// Returns the string, cut to at most `count` characters.
  fileprivate func cut(to count: Int) -> String { utf8.count <= count ? self : String(prefix(count)) + "…" }
}
