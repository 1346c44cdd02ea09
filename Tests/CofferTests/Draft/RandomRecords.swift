import TestSupport

/// Random documents with the shape of backups: collections of records with columns of one kind, most values of which suggest a
/// rule, and some of which break it. Names and values include those that are hard to write or to compare.
struct RandomRecords {
  private static let names = [
    "id", "carId", "car", "parentId", "uuid", "code", "kind", "status", "createdAt", "updatedAt", "startDate", "endDate", "total",
    "amount",
    "count", "carCount", "note", "$comment", "$ref", "enum", "*", "", "a/b", "~", "é", #"e\u0301"#, #"\u001b[31m"#, #"\u202e"#,
    #"\u0000"#,
    #"\ufffe"#, #"\uffff"#, "on", "null", "1", "2026-01-01", "version", "name",
  ]
  private static let collections = ["cars", "trips", "people", "a/b", "", "*", #"\u0085"#, "items"]

  private enum Kind: CaseIterable {
    case serial, reference, word, prose, date, dateTime, unixTime, uuid, code, decimal, integer, fraction, odd, boolean, list,
      records
  }

  private struct Column {
    let name: String
    let kind: Kind
    /// The share of values that break the rule, in percent.
    let exceptions: Int
  }

  private var random: SeededRandom
  private(set) var text = ""

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    var names = Self.collections
    let members = (0...below(4)).map { _ in
      "\"\(names.remove(at: below(names.count)))\": \(records(depth: 0))"
    }
    let scalars = (0..<below(5)).map { _ in
      "\"\(pick(Self.names))\": \(value(Column(name: "", kind: pick(Kind.allCases), exceptions: 0), 3, 2))"
    }
    text = below(8) == 0 ? records(depth: 0) : "{\((scalars + members).joined(separator: ", "))}"
  }

  private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
  private mutating func pick<T>(_ values: [T]) -> T { values[below(values.count)] }

  private mutating func records(depth: Int) -> String {
    let columns = (0...below(6)).map { _ in
      Column(name: pick(Self.names), kind: pick(Kind.allCases), exceptions: pick([0, 0, 0, 2, 20]))
    }
    let records = (0..<pick([0, 1, 2, 8, 40])).map { row in
      let members = columns.compactMap { column -> String? in
        if below(100) < column.exceptions { return nil }
        return "\"\(column.name)\": \(value(column, row, depth))"
      }
      return "{\(members.joined(separator: ", "))}"
    }
    return "[\(records.joined(separator: ", "))]"
  }

  private mutating func value(_ column: Column, _ row: Int, _ depth: Int) -> String {
    if below(100) < column.exceptions { return odd() }
    return switch column.kind {
    case .serial: "\(row * 37 + 5)"
    case .reference: "\(below(8) * 37 + 5)"
    case .word: "\"\(pick(["work", "home", "é", #"e\u0301"#]))\""
    case .prose: "\"\(pick(["Oil change.", #"\u001b[2J"#, "a\\nb", "#", "- x: y"])) \(below(99))\""
    case .date: "\"2026-0\(1 + below(9))-1\(below(9))\""
    case .dateTime:
      "\"\(pick(["0000", "1999", "2026", "9999"]))-01-01T00:00:0\(below(9))\(pick(["Z", "+23:59", "-23:59", ".123456789012345678901Z"]))\""
    case .unixTime: "\(1_700_000_000 + below(1_000_000))"
    case .uuid: "\"D7B4E3A2-1F60-4C5B-9A83-0E2F6B1C7D\(10 + below(30))\""
    case .code: "\"INV-\(100 + row)/\(pick(["a", "b"]))\""
    case .decimal: "\"\(below(50)).\(below(99))\""
    case .integer: "\(below(5))"
    case .fraction: "\(below(100)).\(below(1000))"
    case .odd: odd()
    case .boolean: pick(["true", "false"])
    case .list: "[\((0..<below(4)).map { _ in "\(below(8) * 37 + 5)" }.joined(separator: ", "))]"
    case .records: depth < 2 ? records(depth: depth + 1) : "null"
    }
  }

  /// A value that is hard to describe.
  private mutating func odd() -> String {
    pick([
      "null", "\"\"", "-0", "-0.0", "1e999", "-1E-999", "1e5", "9223372036854775808", "-9223372036854775809",
      "0.1000000000000000055",
      "1234567890.1234567", "\(String(repeating: "9", count: 450))", "0.\(String(repeating: "0", count: 450))1", "[]", "{}",
      "[[{}]]",
      #""\u0000""#, #""\ud83d\udd0b""#, #""\ufeff\ufffe""#, "\"\(String(repeating: "x", count: 1200))\"", "true", "3", #""3""#,
      "0.0",
    ])
  }
}
