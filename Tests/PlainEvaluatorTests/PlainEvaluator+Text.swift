import ByteStreams
import PlainEvaluator
import Rules

extension PlainEvaluator {
  /// Returns the verdict on an instance by a schema, both as text.
  static func isValid(_ instance: String, by schema: String, documents: [String: String] = [:]) throws -> Bool {
    let documents = try documents.mapValues { try JSONValue.read(MemorySource($0.utf8)) }
    return try PlainEvaluator(JSONValue.read(MemorySource(schema.utf8)), documents: documents)
      .isValid(JSONValue.read(MemorySource(instance.utf8)))
  }
}
