import TestSupport
import Testing

@testable import Coffer

/// `Execution.results(for:)`: what verbs with many files have in common.
@Suite struct ManyFilesExecutionTests {
  @Test func `pieces cover a run in its order, within their limits`() {
    let sizes = [0, 70_000, 1, 65_535, 1, 65_536, 0] + Array(repeating: 0, count: 130) + [1_000_000, 5]
    let pieces = Execution.pieces(of: 0..<sizes.count) { sizes[$0] }
    #expect(pieces.flatMap { $0 } == Array(0..<sizes.count))
    // 0 and 70,000 don't fit together, 1 and 65,535 do.
    #expect(pieces.prefix(5).map(\.count) == [1, 1, 2, 1, 64])
    #expect(pieces.allSatisfy { $0.count == 1 || $0.count <= 64 && $0.reduce(0) { $0 + sizes[$1] } <= 64 << 10 })
    #expect(Execution.pieces(of: 3..<3) { _ in 0 }.isEmpty)
  }

  @Test func `results are in order, and the first error counts, whatever the number of threads`() throws {
    let files = (0..<400).map { number -> (name: String, size: Int?) in
      ("\(number)", number % 97 == 13 ? nil : number % 50 == 7 ? 9 << 20 : number % 3 * 30_000)
    }
    for jobs in [1, 2, 5, 64] {
      var execution = Execution()
      execution.jobs = jobs
      let results = try execution.results(for: files) { (number: $0, jobs: $1.jobs) }
      #expect(results.map(\.number) == Array(0..<400))
      // A stream and a large file have all threads.
      #expect(results.map(\.jobs).max() == jobs)
      let error = #expect(throws: CofferError.self) {
        _ = try execution.results(for: files) { number, _ in
          if number >= 201 { throw CofferError(.syntax, "\(number)") }
          return number
        }
      }
      #expect(error?.message == "201")
    }
  }

  @Test func `a validator's reports on many documents don't depend on the threads`() throws {
    let rules =
      #"{"properties": {"code": {"type": "string", "pattern": "^(a|b)+c$"}, "id": {"const": "x"}}, "required": ["code"]}"#
    let texts = (0..<300).map { number in
      #"{"code": "\#(String(repeating: "ab", count: number % 7))\#(number % 5 == 0 ? "" : "c")", "id": "\#(number % 4 == 0 ? "xy" : "x")"}"#
    }
    let own = RuleSource.document(try RuleDocument(MemorySource(rules.utf8)), name: "rules")
    func text(_ report: ValidationReport) -> String { report.file + Validating.lines(report).joined(separator: "\n") }
    for source in [own, .detected(.builtIn)] {
      func reports(_ jobs: Int) throws -> [ValidationReport] {
        var execution = Execution()
        execution.jobs = jobs
        let validator = Validator(source, options: ValidationOptions(now: Validating.now))
        return try execution.results(for: texts.map { ("", 30_000 + $0.utf8.count) }) { number, execution in
          var report = try validator.running(execution).validate(MemorySource(texts[number].utf8), named: "\(number)")
          report.seconds = 0
          return report
        }
      }
      let single = try reports(1).map(text)
      #expect(try reports(4).map(text) == single)
      #expect(Set(single).count == 300)
    }
  }
}
