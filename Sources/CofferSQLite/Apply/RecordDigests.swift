import ByteStreams
import Foundation
import GRDB
import JSONEvents
import Rules

/// Compares stored records by value, like `diff`: `coffer_digest(side, number)` gives rows of equal value the same digest.
///
/// Cost of a digest: that of exporting and reading the record. Memory: twice the largest record.
final class RecordDigests: @unchecked Sendable {
  // @unchecked: used only by the thread of its connection.
  private var staged: RowText
  private var target: RowText
  private var text = ByteBuffer()
  /// The error that ended a statement: SQLite keeps only its message.
  private var failure: (any Error)?

  /// The key of all digests. It is random for each process, so no document can be crafted to cause collisions.
  private static let key = SipHash128.Key.random()

  private init(of stored: ExistingTable, in database: Database) throws {
    staged = try RowText(
      rangesOf: stored.layout, of: ImportPlan.schema, columns: { _ in true }, acceptsDamage: true, in: database)
    target = try RowText(rangesOf: stored.layout, columns: stored.has, acceptsDamage: true, in: database)
  }

  /// Runs statements that use `coffer_digest(side, number)` for the rows of a table: side 0 is the database's, 1 the stage's.
  static func using(_ stored: ExistingTable, in database: Database, _ body: () throws -> Void) throws {
    let digests = try RecordDigests(of: stored, in: database)
    let function = DatabaseFunction("coffer_digest", argumentCount: 2, pure: true) { values in
      guard let side = Int.fromDatabaseValue(values[0]), let number = Int64.fromDatabaseValue(values[1]) else { return nil }
      return try digests.digest(ofRow: number, side: side)
    }
    database.add(function: function)
    // The function's own statements would prevent detaching the stage.
    defer { database.remove(function: function) }
    do { try body() } catch { throw digests.failure ?? error }
  }

  private func digest(ofRow number: Int64, side: Int) throws -> Data? {
    text.removeAll()
    do {
      if side == 0 { try Self.append(number, of: &target, to: &text) } else { try Self.append(number, of: &staged, to: &text) }
    } catch {
      failure = error
      throw error
    }
    do {
      return try Self.digest(of: text.bytes)
    } catch {
      failure = CofferError(.damagedDatabase, "a row of \(staged.table.title) can't be read as a record: \(error)")
      throw error
    }
  }

  private static func append(_ number: Int64, of rows: inout RowText, to text: inout ByteBuffer) throws {
    rows.seek(number...number, firstIndex: 0)
    // Reads to the end, so that the statement is over.
    while try rows.append(to: &text, upTo: .max) {}
  }

  /// - Throws: `CofferError` if the text isn't JSON.
  private static func digest(of text: some Sequence<UInt8>) throws -> Data? {
    var digester = RecordDigester(key: key)
    var result: KeyValue?
    var reader = JSONEventReader(MemorySource(text), limits: .stored)
    while try reader.next() { digester.consume(reader.batch, 0..<reader.batch.count) { result = $0.value } }
    guard let result else { return nil }
    var bytes = Data([result.form.rawValue])
    for word in [result.low, result.high] { withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) } }
    return bytes
  }

  /// `coffer_equal(a, b)`: true if two JSON texts have the same value.
  static let equality = DatabaseFunction("coffer_equal", argumentCount: 2, pure: true) { values in
    if values[0] == values[1] { return true }
    guard let a = String.fromDatabaseValue(values[0]), let b = String.fromDatabaseValue(values[1]) else { return false }
    // An app may have written other text.
    guard let first = try? digest(of: a.utf8), let second = try? digest(of: b.utf8) else { return false }
    return first == second
  }
}
