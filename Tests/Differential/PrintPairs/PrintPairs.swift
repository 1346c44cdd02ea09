import ArgumentParser
import Coffer
import SchemaPairs

@main struct PrintPairs: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema-pairs",
    abstract: "Print pairs of a schema and an instance with a verdict, one JSON object per line.")

  @Option(help: "Seed of the first pair.")
  var seed: UInt64 = 0

  @Option(help: "Number of pairs.")
  var count: UInt64

  func run() throws {
    for seed in seed..<seed + count {
      let pair = SchemaPair(seed: seed)
      let isValid = try Self.verdict(on: pair)
      print(#"{"seed": \#(seed), "schema": \#(pair.schema), "instance": \#(pair.instance), "valid": \#(isValid)}"#)
    }
  }

  /// Returns Coffer's verdict, with small chunks, slices wherever possible, and two threads.
  private static func verdict(on pair: SchemaPair) throws -> Bool {
    var options = ValidationOptions(now: Instant(seconds: 0))
    options.execution.jobs = 2
    options.slices?.sliceSize = 1
    options.limits.chunkSize = 7
    let validator = Validator(.document(try RuleDocument(MemorySource(pair.schema.utf8)), name: "schema"), options: options)
    let report = try validator.validate(MemorySource(pair.instance.utf8), named: "instance")
    if let error = report.error { throw ValidationError("seed \(pair): \(error.message)") }
    return report.isValid
  }
}
