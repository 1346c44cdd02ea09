import TestSupport

/// The faults that a scenario is tried with.
///
/// There is a fault for each call that changes files and each way that it can fail, and any number of moments. A plan takes a
/// part of every kind, spread over the whole run: the larger the plan, the denser. The same seed gives the same plan for the same
/// run.
struct TrialPlan {
  let faults: [Fault]

  /// - Parameters:
  ///   - failpoints: the failpoints that are reached, and how often.
  ///   - callCounts: the number of calls that change files, by kind.
  ///   - microseconds: the duration of an undisturbed run.
  init(count: Int, failpoints: [String: Int], callCounts: [String: Int], microseconds: Int, seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let names = failpoints.sorted { $0.key < $1.key }
    let kills = names.flatMap { name, count in
      Self.occurrences(of: count).map { Fault.failpoint(name, .kill, count: $0) }
    }
    // Nothing that could fail follows a commit.
    let failures = names.filter { $0.key != "after-commit" }.flatMap { name, _ in
      [Fault.Action.noSpace, .inputOutput].map { Fault.failpoint(name, $0, count: 1) }
    }
    let callCount = callCounts.values.reduce(0, +)
    let calls = (0..<callCount).flatMap { number in
      // Only calls that write bytes can write too few.
      Self.callFaults
        .filter { $0.0 != .short || number < callCounts["write"] ?? 0 }
        .map { Fault.call($0, number: number + 1, isSticky: $1) }
    }
    // If one kind has too few faults, the next gets its share; there are always more moments.
    var faults = Self.sample(kills, count * 2 / 5, &random)
    faults += Self.sample(failures, max(0, count * 11 / 20 - faults.count), &random)
    faults += Self.sample(calls, max(0, count * 17 / 20 - faults.count), &random)
    let moments = max(0, count - faults.count)
    faults += (0..<moments).map { index in
      // One in each part of the time, and some shortly after the end.
      let fraction = (Double(index) + Double.random(in: 0..<1, using: &random)) / Double(moments)
      return .moment(microseconds: 1 + Int(fraction * 1.1 * Double(microseconds)))
    }
    self.faults = faults
  }

  /// Everything that can go wrong with a call.
  private static let callFaults: [(Fault.Action, isSticky: Bool)] = [
    (.noSpace, true), (.kill, false), (.inputOutput, false), (.cut, false), (.noSpace, false), (.short, true),
    (.inputOutput, true),
    (.short, false),
  ]

  /// Returns the first, middle and last occurrence.
  private static func occurrences(of count: Int) -> [Int] { Set([1, (count + 1) / 2, count]).sorted() }

  /// Returns `count` faults, one from each of `count` equal parts.
  private static func sample(_ faults: [Fault], _ count: Int, _ random: inout SeededRandom) -> [Fault] {
    if faults.count <= count { return faults }
    return (0..<count).map { part in
      let (start, end) = (part * faults.count / count, (part + 1) * faults.count / count)
      return faults[Int.random(in: start..<max(end, start + 1), using: &random)]
    }
  }
}
