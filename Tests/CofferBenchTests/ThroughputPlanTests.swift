import Testing

@testable import CofferBench

@Suite struct ThroughputPlanTests {
  private func plan(
    _ kind: DocumentKind, _ steps: Set<Step> = Set(Step.allCases), jobs: [Int] = [1, 2], rounds: Int = 1, hasShell: Bool = true
  ) -> ThroughputPlan {
    var options = ThroughputPlan.Options(jobs: jobs)
    options.steps = steps
    options.rounds = rounds
    return ThroughputPlan(for: kind, options: options, hasShell: hasShell)
  }

  private func words(_ turns: [ThroughputPlan.Turn]) -> [String] {
    turns.map { turn in
      if case .measure(let figure) = turn { "\(figure.step.rawValue) \(figure.jobs)" } else { "\(turn)" }
    }
  }

  @Test func `rows are ordered by step and turns by number of workers`() {
    let plan = plan(.json, [.validate, .import, .export], rounds: 2)
    #expect(
      plan.figures.map(\.words) == [
        "validate, 1 worker", "validate, 2 workers", "import, 1 worker", "import, 2 workers", "export, 1 worker",
        "export, 2 workers",
      ])
    let round = ["validate 1", "import 1", "export 1", "validate 2", "import 2", "export 2"]
    #expect(words(plan.turns) == round + round)
    #expect(plan.leftOut == [])
  }

  @Test(
    arguments: [
      (DocumentKind.json, [.compress], ["compress 2"]),
      (.lz4, [.compress], ["makePlain", "compress 2"]),
      (.json, [.decompress], ["makeCompressed", "decompress 2"]),
      (.lz4, [.decompress], ["decompress 2"]),
      (.json, [.merge], ["makeDatabase", "merge 2"]),
      (.json, [.import, .merge], ["import 2", "merge 2"]),
      (.json, [.export], ["makeDatabase", "export 2"]),
      (.json, [.import, .shellImport], ["makeDatabase", "makeTables", "import 2", "sqlite3-import 1"]),
      (.json, [.shellExport], ["makeDatabase", "makeTables", "sqlite3-export 1"]),
      (.zip, [.export, .merge], ["makeDatabase", "merge 2", "export 2"]),
      (.json, [], []),
    ] as [(DocumentKind, Set<Step>, [String])])
  func `the input of a step is made before it`(kind: DocumentKind, steps: Set<Step>, turns: [String]) {
    #expect(words(plan(kind, steps, jobs: [2]).turns) == turns)
  }

  @Test func `steps that do not apply to an archive are omitted with a reason`() {
    let plan = plan(.zip, jobs: [1])
    #expect(plan.figures.map(\.step) == [.validate, .import, .merge, .export])
    #expect(plan.leftOut.map(\.step) == [.parse, .convert, .compress, .decompress, .shellImport, .shellExport])
    #expect(plan.leftOut.allSatisfy { !$0.reason.isEmpty })
    #expect(words(plan.turns) == ["validate 1", "import 1", "merge 1", "export 1"])
  }

  @Test func `the shell takes one turn per round`() {
    let plan = plan(.json, [.export, .shellExport], jobs: [2, 4], rounds: 2)
    #expect(plan.figures.map(\.words) == ["export, 2 workers", "export, 4 workers", "sqlite3-export, 1 worker"])
    let round = ["export 2", "sqlite3-export 1", "export 4"]
    #expect(words(plan.turns) == ["makeDatabase", "makeTables"] + round + round)
  }

  @Test func `the comparison is omitted without the shell`() {
    let plan = plan(.json, [.export, .shellExport], jobs: [2], hasShell: false)
    #expect(words(plan.turns) == ["makeDatabase", "export 2"])
    #expect(plan.leftOut == [.init(step: .shellExport, reason: "sqlite3 is not installed")])
  }

  @Test(
    arguments: [
      ([.parse, .validate, .convert, .compress], 0), ([.decompress], 1_010_000), ([.import], 1_500_000), ([.export], 1_500_000),
      ([.import, .merge], 4_500_000), (Set(Step.allCases), 7_510_000),
    ] as [(Set<Step>, Int)])
  func `the required space depends on what the steps write`(steps: Set<Step>, bytes: Int) {
    let survey = DocumentSurvey(kind: .json, storedBytes: 1_000_000, bytes: 1_000_000, records: 1, isValid: true)
    #expect(plan(.json, steps).space(for: survey) == bytes + 1_048_576)
  }
}
