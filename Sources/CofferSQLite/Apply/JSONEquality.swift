import ByteStreams
import GRDB
import JSONEvents
import Rules

/// Compares two JSON texts by value, like `diff`.
enum JSONEquality {
  /// Adds `coffer_equal(a, b)` to a connection.
  static func addFunction(to database: Database) {
    database.add(
      function: DatabaseFunction("coffer_equal", argumentCount: 2, pure: true) { values in
        if values[0] == values[1] { return true }
        guard let a = String.fromDatabaseValue(values[0]), let b = String.fromDatabaseValue(values[1]) else { return false }
        let key = SipHash128.Key.random()
        let (first, second) = (digest(of: a, key), digest(of: b, key))
        return first != nil && first == second
      })
  }

  /// - Returns: `nil` if the text isn't JSON, because an app may have written it.
  private static func digest(of text: String, _ key: SipHash128.Key) -> KeyValue? {
    var digester = RecordDigester(key: key)
    var result: KeyValue?
    do {
      var reader = JSONEventReader(MemorySource(Array(text.utf8)), limits: .stored)
      while try reader.next() { digester.take(reader.batch, 0..<reader.batch.count) { result = $0.value } }
    } catch { return nil }
    return result
  }
}
