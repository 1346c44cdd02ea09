import ByteStreams
import PlainEvaluator
import Rules

extension PlainEvaluator {
  /// The verdict on one text by another.
  static func isValid(_ instance: String, by schema: String, documents: [String: String] = [:]) throws -> Bool {
    let documents = try documents.mapValues { try JSONValue.read(MemorySource($0.utf8)) }
    return try PlainEvaluator(JSONValue.read(MemorySource(schema.utf8)), documents: documents)
      .isValid(JSONValue.read(MemorySource(instance.utf8)))
  }
}
