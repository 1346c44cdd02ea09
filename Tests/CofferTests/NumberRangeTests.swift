import Coffer
import JSONEvents
import SyntheticBackups
import Testing

/// A number that the app's decoder can't hold is an error, in each numeric field of each format.
@Suite struct NumberRangeTests {
  @Test(arguments: FormatCatalog.builtIn.formats.map(\.name))
  func `no field takes a number out of the range of its type`(_ name: String) throws {
    let rules = RuleSource.format(try #require(FormatCatalog.builtIn[name]))
    let (bytes, _) = try Validating.backup(.init(size: 0, seed: 1), of: name, counts: (RecordCounts([:]), others: 12))
    let numbers = try Self.numbers(in: bytes)
    #expect(!numbers.isEmpty)
    for (place, number) in numbers.sorted(by: { $0.key < $1.key }) {
      func hasError(with text: String) throws -> Bool {
        var changed = bytes
        changed.replaceSubrange(number.range, with: Array(text.utf8))
        return try Validating.report(on: changed, rules: rules).findings
          .contains { $0.severity == .error && $0.place.pointer == number.pointer }
      }
      #expect(try hasError(with: "1e400"), "\(place)")
      // Only integers refuse a fraction.
      if try hasError(with: "0.5") { #expect(try hasError(with: "9223372036854775808"), "\(place)") }
    }
  }

  /// Foundation refuses what would become 0 (measured with Swift 6.3).
  @Test(arguments: [("1e-50", true), ("-7e-46", true), ("1e-45", false), ("0", false), ("3.5e38", true)])
  func `a Float takes no number that it can't tell from 0`(text: String, isRefused: Bool) throws {
    let (bytes, _) = try Validating.backup(.init(size: 0, seed: 1), of: "aquavate", counts: (RecordCounts([:]), others: 12))
    let number = try #require(try Self.numbers(in: bytes)["/bottles/*/scaleFactor"])
    var changed = bytes
    changed.replaceSubrange(number.range, with: Array(text.utf8))
    let report = try Validating.report(on: changed)
    #expect(report.findings.contains { $0.severity == .error && $0.place.pointer == number.pointer } == isRefused)
  }

  /// Returns the first number at each place, with `*` for indices.
  private static func numbers(in bytes: [UInt8]) throws -> [String: (pointer: String, range: Range<Int>)] {
    var numbers: [String: (pointer: String, range: Range<Int>)] = [:]
    /// The names and indices of the open containers' current values.
    var path: [(token: String, index: Int?)] = [("", nil)]
    var reader = JSONEventReader(MemorySource(bytes))
    while try reader.next() {
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        let (offset, text) = (reader.batch.offset(of: event), String(decoding: reader.batch.text(of: event).array, as: UTF8.self))
        switch event.kind {
        case .key: path[path.count - 1].token = text
        case .objectStart: path.append(("", nil))
        case .arrayStart: path.append(("0", 0))
        case .objectEnd, .arrayEnd:
          path.removeLast()
          advance(&path)
        default:
          if event.kind == .number {
            let place = path.dropFirst().map { $0.index == nil ? "/" + $0.token : "/*" }.joined()
            let pointer = path.dropFirst().map { "/" + $0.token }.joined()
            if numbers[place] == nil { numbers[place] = (pointer, offset..<offset + text.utf8.count) }
          }
          advance(&path)
        }
      }
    }
    return numbers
  }

  /// Goes on to the next item, in an array.
  private static func advance(_ path: inout [(token: String, index: Int?)]) {
    guard let last = path.indices.last, let index = path[last].index else { return }
    path[last] = (String(index + 1), index + 1)
  }
}
