import SystemPackage
import Testing

@testable import CofferBench

@Suite struct ThroughputRunTests {
  /// Answers in place of the command, and records the requests.
  private final class Answers {
    private(set) var asked: [[String]] = []
    private let answer: (_ asked: [String], _ times: Int) -> Child.Outcome

    init(_ answer: @escaping ([String], Int) -> Child.Outcome = { _, _ in .good }) { self.answer = answer }

    func run(_ invocation: Invocation) -> Child.Outcome {
      asked.append(invocation.arguments)
      return answer(invocation.arguments, asked.count)
    }
  }

  private func measurements(
    of kind: DocumentKind = .json, _ steps: Set<Step> = Set(Step.allCases), jobs: [Int] = [2], rounds: Int = 1,
    from answers: Answers, progress: (String, Int, Int) -> Void = { _, _, _ in }
  ) throws -> [Measurement] {
    var options = ThroughputPlan.Options(jobs: jobs)
    options.steps = steps
    options.rounds = rounds
    let document = Document(file: "a.json", kind: kind, presentTime: "2026-01-01T00:00:00Z")
    let plan = ThroughputPlan(for: kind, options: options, hasShell: true)
    return try ThroughputRun(plan, of: document, in: Scratch(folder: "s"), runner: answers.run).measurements(progress: progress)
  }

  @Test func `each step runs a command`() throws {
    let answers = Answers()
    _ = try measurements(from: answers)
    #expect(
      answers.asked.filter { !$0.contains(".output") }.map { $0.joined(separator: " ") } == [
        "compress a.json s/compressed.json.lz4",
        "import a.json --into s/database/backup.sqlite --mode replace --force --no-config --now 2026-01-01T00:00:00Z",
        "validate --json --max-findings 0 --no-config --rules s/nothing.json --duplicate-keys allow --jobs 2 a.json",
        "validate --json --max-findings 0 --no-config --now 2026-01-01T00:00:00Z --jobs 2 a.json",
        "convert --compact --jobs 2 a.json -",
        "compress --jobs 2 a.json -",
        "decompress --jobs 2 s/compressed.json.lz4 -",
        "import a.json --into s/database/backup.sqlite --mode replace --force --no-config --now 2026-01-01T00:00:00Z --jobs 2",
        "import a.json --into s/database/backup.sqlite --mode merge --on-conflict replace --no-config --now 2026-01-01T00:00:00Z --jobs 2",
        #"-init /dev/null -batch -bail s/plain/plain.sqlite .read "s/tables/import.sql""#,
        "export s/database/backup.sqlite /dev/null --no-config --jobs 2",
        #"-init /dev/null -batch -bail s/database/backup.sqlite .mode json .read "s/tables/select.sql""#,
      ])
  }

  @Test func `a compressed document is decompressed directly`() throws {
    let answers = Answers()
    _ = try measurements(of: .lz4, [.compress, .decompress], from: answers)
    #expect(
      answers.asked.map { $0.joined(separator: " ") } == [
        "decompress a.json s/plain.json", "compress --jobs 2 s/plain.json -", "decompress --jobs 2 a.json -",
      ])
  }

  @Test func `every round is measured`() throws {
    let answers = Answers { _, times in .init(ending: .exited(0), seconds: Double(times), peakMemory: 10 * times) }
    let measured = try measurements([.parse, .convert], jobs: [1, 2], rounds: 2, from: answers)
    #expect(measured.map { $0.runs.map(\.seconds) } == [[1, 5], [3, 7], [2, 6], [4, 8]])
    #expect(measured.map(\.peakMemory) == [50, 70, 60, 80])
  }

  @Test func `progress counts processes`() throws {
    var told: [String] = []
    _ = try measurements([.decompress, .export], from: Answers()) { told.append("\($0) (\($1) of \($2))") }
    #expect(
      told == [
        "compressing for decompress (1 of 4)", "importing for later steps (2 of 4)", "decompress, 2 workers (3 of 4)",
        "export, 2 workers (4 of 4)",
      ])
  }

  @Test(
    arguments: [
      (.exited(0), nil), (.exited(2), "usage"), (.exited(3), "unreadable"), (.exited(4), "refused"), (.exited(77), "status 77"),
      (.signalled(9), "signal 9"), (.exited(1), "findings"),
    ] as [(Child.Outcome.Ending, String?)])
  func `a failure has a reason in its row`(ending: Child.Outcome.Ending, reason: String?) throws {
    let answers = Answers { arguments, _ in
      arguments[0] == "convert"
        ? .init(ending: ending, seconds: 1, peakMemory: 1, errorOutput: Array("coffer: so it is\n".utf8)) : .good
    }
    let measured = try measurements([.parse, .convert, .compress], from: answers)
    #expect(measured.map(\.failure?.reason) == [nil, reason, nil])
    #expect(measured[1].failure?.message == reason.map { _ in "so it is" })
    #expect(measured.map(\.runs.count) == [1, reason == nil ? 1 : 0, 1])
  }

  /// A usage error has several lines; those about help don't describe the error.
  @Test(arguments: [
    ("coffer: a\n", "a"), ("x\ncoffer: b\nUsage: c\n", "b"), ("Fatal error\nat line 1\n", "Fatal error"), ("", ""),
    ("coffer: \u{1B}[31m\n", "\\u{1B}[31m"),
  ])
  func `the error message of a command is kept`(errorOutput: String, message: String) throws {
    let answers = Answers { _, _ in .init(ending: .exited(3), seconds: 1, peakMemory: 1, errorOutput: Array(errorOutput.utf8)) }
    #expect(try measurements([.parse], from: answers)[0].failure?.message == message)
  }

  @Test func `a failed step is not repeated`() throws {
    let answers = Answers { _, _ in .init(ending: .exited(3), seconds: 1, peakMemory: 1) }
    _ = try measurements([.parse], rounds: 5, from: answers)
    #expect(answers.asked.count == 1)
  }

  /// Validation is measured nevertheless, and the import of a document with findings is not forced.
  @Test func `findings refuse the import and the steps that need it`() throws {
    let answers = Answers { arguments, _ in
      ["import", "validate"].contains(arguments[0]) ? .init(ending: .exited(1), seconds: 1, peakMemory: 1) : .good
    }
    let measured = try measurements([.validate, .import, .merge, .export], from: answers)
    #expect(measured.map(\.failure?.reason) == [nil, "refused: findings", "no database", "no database"])
    #expect(measured.dropFirst().allSatisfy { $0.failure?.isForFindings == true })
    #expect(answers.asked.count == 2)
  }

  @Test func `a failed import does not prevent one with other workers`() throws {
    let answers = Answers { arguments, _ in
      arguments[0] == "import" && arguments.last == "1" ? .init(ending: .exited(3), seconds: 1, peakMemory: 1) : .good
    }
    let measured = try measurements([.import, .merge, .export], jobs: [1, 2], from: answers)
    #expect(measured.map(\.failure?.reason) == ["unreadable", nil, "no database", nil, "no database", nil])
  }

  @Test(arguments: [(Step.decompress, "compress"), (.merge, "import")])
  func `a step fails with the message of its failed preparation`(step: Step, command: String) throws {
    let answers = Answers { _, _ in .init(ending: .exited(4), seconds: 1, peakMemory: 1, errorOutput: Array("coffer: full".utf8))
    }
    let measured = try measurements([step], from: answers)
    #expect(measured[0].failure?.message == "full")
    #expect(answers.asked.map { $0[0] } == [command])
  }
}

extension Child.Outcome {
  fileprivate static let good = Self(ending: .exited(0), seconds: 1, peakMemory: 1)
}
