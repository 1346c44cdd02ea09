import Testing

/// A plan is reproducible and covers every part of a run.
@Suite struct TrialPlanTests {
  private func plan(_ count: Int, seed: UInt64 = 1) -> [Fault] {
    TrialPlan(
      count: count, failpoints: ["before-commit": 1, "middle-of-table": 9], callCounts: ["write": 20, "sync": 5, "rename": 2],
      microseconds: 50_000, seed: seed
    ).faults
  }

  @Test(arguments: [0, 1, 7, 15, 150, 3000]) func `a plan has the requested number of trials`(count: Int) {
    #expect(plan(count).count == count)
  }

  @Test func `the same seed gives the same plan`() {
    #expect(plan(40) == plan(40))
    #expect(plan(40) != plan(40, seed: 2))
  }

  @Test func `every failpoint is tried with a kill and with failures`() {
    let faults = plan(40)
    for name in ["before-commit", "middle-of-table"] {
      for action in [Fault.Action.kill, .noSpace, .inputOutput] {
        #expect(faults.contains(.failpoint(name, action, count: 1)))
      }
    }
    #expect(faults.contains(.failpoint("middle-of-table", .kill, count: 5)))
    #expect(faults.contains(.failpoint("middle-of-table", .kill, count: 9)))
  }

  @Test func `a large plan tries every call with every fault`() {
    let faults = Set(plan(3000))
    for number in 1...27 {
      for action in [Fault.Action.noSpace, .inputOutput, .kill, .cut] {
        #expect(faults.contains(.call(action, number: number, isSticky: false)))
      }
      #expect(faults.contains(.call(.noSpace, number: number, isSticky: true)))
      #expect(faults.contains(.call(.short, number: number, isSticky: true)) == (number <= 20))
    }
  }

  @Test func `a small plan is spread over the whole run`() {
    let faults = plan(60)
    let numbers = faults.compactMap { if case .call(_, let number, _) = $0 { number } else { nil } }
    #expect(numbers.contains { $0 <= 9 } && numbers.contains { (10...18).contains($0) } && numbers.contains { $0 >= 19 })
    let moments = faults.compactMap { if case .moment(let microseconds) = $0 { microseconds } else { nil } }
    #expect(moments.contains { $0 < 20_000 } && moments.contains { $0 > 40_000 })
    #expect(moments.allSatisfy { (1...55_001).contains($0) })
  }
}
