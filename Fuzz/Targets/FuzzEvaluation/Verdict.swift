import ByteStreams
import Findings
import JSONEvents
import Rules

/// Returns the streaming evaluator's verdict on a document that arrives in pieces.
///
/// - Throws: `CofferError` for malformed JSON.
func isValid(_ document: some Sequence<UInt8>, by program: RuleProgram, chunkSize: Int) throws -> Bool {
  var limits = ReaderLimits()
  limits.chunkSize = chunkSize
  var reader = JSONEventReader(MemorySource(document), limits: limits)
  var evaluator = DocumentEvaluator(
    program, options: EvaluationOptions(now: Instant(seconds: 0), key: SipHash128.Key(low: 1, high: 2)))
  while try reader.next() { try evaluator.consume(reader.batch, lines: reader.lines) }
  try evaluator.finish()
  return evaluator.collector.counts.count(.error) == 0
}
