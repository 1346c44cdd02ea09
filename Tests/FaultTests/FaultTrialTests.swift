import TestSupport
import Testing

#if os(Linux)
  /// Whatever goes wrong, and whenever: the folder has the state before or after the run, and the next run works.
  ///
  /// `make faults TRIALS=3000` runs more of them.
  @Suite struct FaultTrialTests {
    @Test func `every fault leaves the state before or after the run`() async throws {
      let campaign = try await withTaskExecutorPreference(DedicatedExecutor()) {
        let fixture = try await Fixture()
        return try await Campaign(fixture.scenarios, count: Campaign.trialCount, seed: Campaign.seed)
      }
      print(campaign.text)
      for complaint in campaign.complaints { Issue.record(Comment(rawValue: complaint)) }
      #expect(campaign.leftovers.isEmpty, "the next run doesn't remove what a run left")
      // Trials whose fault never happens prove nothing.
      #expect(campaign.byFault.total.missed < Campaign.trialCount / 4)
    }
  }
#endif
