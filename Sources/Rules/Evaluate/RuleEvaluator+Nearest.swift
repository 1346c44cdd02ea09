import ByteStreams
import Findings
import JSONEvents

/// Finds the alternative that a value was intended for, if it matches none.
///
///     oneOf   {"kind": {"const": "car"}, …}   {"kind": {"enum": ["trip", "tour"]}, …}
///     value   {"kind": "tour", …}     meant for the second one: only its findings count
///             {"kind": "boat", …}     meant for neither: expected one of 'car', 'trip', 'tour', found 'boat'
///
/// Here `kind` is a tag: a member for which each alternative names the strings that it may be. Without a tag, the alternative with
/// the fewest findings is the nearest.
extension RuleEvaluator {
  /// What a value that matches no alternative was meant for.
  enum Intention {
    /// The branch that it fails least: its findings say more than that none matches. A row of `RuleProgram.branches`.
    case branch(Int)
    /// None of them: the place of the tag, and a message with its possible values.
    case unknownTag(FindingSubject, String)
    /// Any of these rows, which are equally near.
    case several([Int])
  }

  /// The distance of a value from the requirements of a branch.
  private struct Distance: Comparable {
    /// 2 if the value has another type, 1 if a member that distinguishes the alternatives (by `const`) names another one,
    /// otherwise 0.
    var kind = 0
    var count = 0

    static func < (a: Distance, b: Distance) -> Bool { a.kind != b.kind ? a.kind < b.kind : a.count < b.count }
  }

  mutating func intention(of branches: Range<Int>, _ active: Int, from start: Int) -> Intention {
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
    var meant = distances.indices.filter { distances[$0].count > 0 && distances[$0].kind < 2 }
    if let tag = tag(of: branches, meant, active, from: start) {
      let allowing = tag.kind == .string ? tag.values.branches[tag.subject.excerpt ?? ""] : nil
      let known = Set(allowing ?? []).intersection(meant)
      if known.isEmpty { return .unknownTag(tag.subject, message(about: tag, among: meant)) }
      meant.removeAll { !known.contains($0) }
      for number in meant { distances[number].kind = 0 }
    }
    guard let least = meant.map({ distances[$0] }).min() else { return .several(Array(branches)) }
    let nearest = meant.filter { !(least < distances[$0]) }
    if nearest.count == 1 { return .branch(branches.lowerBound + nearest[0]) }
    return .several((least.kind == 0 ? nearest : Array(distances.indices)).map { branches.lowerBound + $0 })
  }

  // MARK: Tags

  /// A member that tells alternatives apart, and its value.
  private struct Tag {
    var subject: FindingSubject
    var kind: ValueKind
    var values: TagValues
  }

  /// The strings that alternatives allow for a member.
  struct TagValues {
    /// By the number of the alternative.
    var strings: [Int: [String]] = [:]
    /// The alternatives that allow a string, by its excerpt: the rest of a long value may no longer be in memory.
    var branches: [String: [Int]] = [:]
    /// True if not all allow the same ones.
    var tellsApart = false
  }

  /// A member of the program, and the alternatives' first row.
  struct TagPlace: Hashable {
    var member: Int32
    var branches: Int
  }

  /// The most members that may be the tag.
  private static let tagLimit = 8

  /// Returns the first member with a wrong constant that all these branches restrict to strings, not all to the same ones.
  private mutating func tag(of branches: Range<Int>, _ meant: [Int], _ active: Int, from start: Int) -> Tag? {
    var tried: [Int32] = []
    for index in start..<max(start, pending.count) where Int(pending[index].active) == active {
      let failure = pending[index]
      guard let step = failure.step, step.depth == frames.count, Int(failure.depth) == frames.count,
        frames[frames.count - 1].isObject, step.member >= 0, !tried.contains(step.member),
        ["const", "enum"].contains(program.rules[Int(failure.rule)].keyword), row(of: failure.slot, in: branches) != nil
      else { continue }
      tried.append(step.member)
      let values = tagValues(of: step.member, in: branches)
      if values.tellsApart, meant.allSatisfy({ values.strings[$0] != nil }) {
        word(index)
        guard case .worded(let subject, _) = pending[index].content else { return nil }
        return Tag(subject: subject, kind: step.kind, values: values)
      }
      if tried.count == Self.tagLimit { break }
    }
    return nil
  }

  /// Returns the strings that branches allow for a member. They are looked up once: there may be thousands of branches.
  private mutating func tagValues(of member: Int32, in branches: Range<Int>) -> TagValues {
    let place = TagPlace(member: member, branches: branches.lowerBound)
    if let known = knownTags[place] { return known }
    var values = TagValues()
    for number in program.members[Int(member)].children.indices {
      let child = program.children[number]
      guard let row = row(of: child.slot, in: branches) else { continue }
      for check in program.checkRanges[Int(child.state) * 6 + ValueKind.string.rawValue].indices {
        guard program.checks[check].operation == .stringAmong, program.checks[check].slot == 0 else { continue }
        values.strings[row - branches.lowerBound] = program.constants.strings[Int(program.checks[check].operand)]
      }
    }
    for (number, strings) in values.strings {
      for string in strings {
        let excerpt = ByteView.with(string) { Self.excerpt(of: $0) }
        values.branches[excerpt, default: []].append(number)
      }
    }
    values.tellsApart = Set(values.strings.values).count > 1
    knownTags[place] = values
    return values
  }

  private func message(about tag: Tag, among meant: [Int]) -> String {
    var known: [String] = []
    var seen: Set<String> = []
    for number in meant {
      for value in tag.values.strings[number] ?? [] where known.count < Suggestion.limit && seen.insert(value).inserted {
        known.append(value)
      }
    }
    let shown = known.prefix(16).map { "'\($0.shortened(to: 80))'" }.joined(separator: ", ")
    let more = known.count > 16 ? " and \(known.count - 16) more" : ""
    let value = tag.subject.excerpt ?? ""
    let found = options.redacts ? "another value" : tag.kind == .string ? "'\(value)'" : value
    let suggestion = options.redacts ? "" : Suggestion.text(for: value, among: known)
    return "expected one of \(shown)\(more), found \(found)\(suggestion)"
  }

  // MARK: Reasons

  /// Returns the first finding of each of the first three branches.
  ///
  /// - Parameter pointer: the value's own; the places in it are relative to it.
  mutating func reasons(
    _ rows: [Int], of branches: Range<Int>, _ active: Int, _ start: Int, below pointer: String
  ) -> String? {
    var reasons: [String] = []
    for row in rows.prefix(3) {
      guard
        let index = (min(start, pending.count)..<pending.count).first(where: {
          pending[$0].active == active && pending[$0].slot == program.branches[row]
        })
      else { continue }
      word(index)
      guard case .worded(let subject, let message) = pending[index].content else { continue }
      let isInside = subject.pointer.utf8.count > pointer.utf8.count && subject.pointer.utf8.starts(with: pointer.utf8)
      let place = isInside ? String(decoding: subject.pointer.utf8.dropFirst(pointer.utf8.count), as: UTF8.self) + ": " : ""
      reasons.append("(\(row - branches.lowerBound + 1)) \(place.cut(to: 160))\(message.cut(to: 160))")
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
