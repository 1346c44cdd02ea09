import ByteStreams
import Foundation
import PlainEvaluator
import Rules
import TestSupport
import Testing

/// The seeds and finds of fuzzing rules (`Fuzz/Corpus/rules` and `evaluation`) pass the checks of the fuzz targets.
@Suite struct FuzzCorpusTests {
  private static let folder = Checkout.folder.appending(path: "Fuzz/Corpus")
  static let rules = Checkout.names(in: folder.appending(path: "rules"))
  static let evaluations = Checkout.names(in: folder.appending(path: "evaluation"))

  @Test func `the corpora are not empty`() {
    #expect(Self.rules.count > 5)
    #expect(Self.evaluations.count > 5)
  }

  @Test(arguments: rules)
  func `rules are compiled or refused with a message`(name: String) throws {
    let rules = try Data(contentsOf: Self.folder.appending(path: "rules/\(name)"))
    do {
      _ = try RuleDocument(MemorySource(rules)).compiled()
    } catch {
      #expect(!"\(error)".isEmpty)
    }
  }

  @Test(arguments: evaluations)
  func `whole, chunked and plain evaluation agree`(name: String) throws {
    let input = try Data(contentsOf: Self.folder.appending(path: "evaluation/\(name)"))
    // The layout of the fuzz target: rules, a byte that is never in JSON, document.
    let parts = input.split(separator: 0xFF, maxSplits: 1, omittingEmptySubsequences: false)
    let (rules, document) = (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
    guard let whole = try? Evaluation(rules, document) else { return }
    for chunkSize in [1, 2, 7] {
      #expect(try Evaluation(rules, document, chunkSize: chunkSize).isValid == whole.isValid, "in pieces of \(chunkSize)")
    }
    let schema = try JSONValue.read(MemorySource(parts[0]))
    guard schema["$schema"]?.string == "https://json-schema.org/draft/2020-12/schema",
      let plain = try? PlainEvaluator(schema).isValid(JSONValue.read(MemorySource(parts[1])))
    else { return }
    #expect(whole.isValid == plain)
  }
}
