import TestSupport
import Testing

@testable import Rules

@Suite struct StepBudgetTests {
  private typealias Step = (offset: Int, count: Int)

  /// The debt step by step, as it is defined.
  private static func peakDebt(of steps: [Step]) -> (debt: Int, peak: Int) {
    var (debt, peak, last) = (0, 0, 0)
    for step in steps {
      debt = max(0, debt - (step.offset - last) * StepBudget.stepsPerByte) + step.count
      peak = max(peak, debt)
      last = step.offset
    }
    return (debt, peak)
  }

  private static func budget(_ steps: ArraySlice<Step>) -> StepBudget {
    var budget = StepBudget()
    for step in steps { budget.add(step.count, at: step.offset) }
    return budget
  }

  @Test func `a debt is what bytes do not pay for`() {
    var budget = StepBudget()
    budget.add(1000, at: 50)
    #expect(budget.debt == 1000)
    budget.add(10, at: 52)
    #expect(budget.debt == 1010 - 2 * StepBudget.stepsPerByte)
    #expect(budget.peak == 1000)
    budget.add(10, at: 5000)
    #expect(budget.debt == 10)
    #expect(!budget.exceeds(1000))
    #expect(budget.exceeds(999))
  }

  @Test(arguments: 0..<200) func `budgets of stretches add up, in any grouping`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    var offset = 0
    let steps = (0..<40).map { _ -> Step in
      offset += [0, 1, 3, 40][below(4)]
      return (offset, 1 + below([10, 1000, 5000][below(3)]))
    }
    let expected = Self.peakDebt(of: steps)
    let cuts = ([0, steps.count] + (0..<6).map { _ in below(steps.count + 1) }).sorted()
    var parts = zip(cuts, cuts.dropFirst()).map { Self.budget(steps[$0..<$1]) }
    while parts.count > 1 {
      let index = below(parts.count - 1)
      parts[index].append(parts.remove(at: index + 1))
    }
    #expect(parts[0] == Self.budget(steps[...]))
    #expect(parts[0].debt == expected.debt)
    #expect(parts[0].peak == expected.peak)
    #expect(parts[0].steps == steps.reduce(0) { $0 + $1.count })
  }
}
