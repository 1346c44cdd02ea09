import Coffer
import SyntheticBackups

/// The main content of a document.
enum Shape: String, CaseIterable {
  /// A backup as the app writes it: much white space and short lines.
  case pretty = "a pretty backup"
  /// A backup without white space.
  case compact = "a compact backup"
  /// Strings of up to a few hundred bytes, with escapes and non-ASCII letters.
  case strings
  /// Integers, decimals and exponents, in rows.
  case numbers
  /// Nested objects, nearly as deep as a reader allows.
  case depth
  /// A single record as large as the document, with a new member name every few bytes.
  case hugeRecord = "one huge record"

  /// Returns a valid document of this shape, of about `size` bytes. Always the same bytes.
  func document(of size: Int) throws -> [UInt8] {
    switch self {
    case .pretty: try Self.backup(of: size, layout: .pretty(indent: 2))
    case .compact: try Self.backup(of: size, layout: .compact)
    case .strings: Self.list(of: size, begin: "[", end: "]", item: Self.record)
    case .numbers: Self.list(of: size, begin: "[", end: "]", item: Self.row)
    case .depth: Self.list(of: size, begin: "[", end: "]", item: Self.tower)
    case .hugeRecord: Self.list(of: size, begin: "[{", end: "}]", item: Self.member)
    }
  }

  private static func backup(of size: Int, layout: JSONEventWriter.Layout) throws -> [UInt8] {
    guard let format = FormatCatalog.builtIn["ev-charging-tracker"] else { return [] }
    let tracker = try SyntheticFormat(format)
    var sink = MemorySink()
    _ = try SyntheticBackup(of: tracker, options: .init(size: size, seed: 7, layout: layout)).write(to: &sink)
    return sink.bytes
  }

  private static func list(of size: Int, begin: String, end: String, item: (Int) -> String) -> [UInt8] {
    var document = Array(begin.utf8)
    document.reserveCapacity(size + size / 8)
    var index = 0
    while document.count < size || index == 0 {
      if index > 0 { document.append(UInt8(ascii: ",")) }
      document += item(index).utf8
      index += 1
    }
    return document + end.utf8
  }

  private static func record(_ index: Int) -> String {
    let sentences = [#"Charged at home overnight. "#, #"Reifen gewechselt, 3°C. "#, #"receipt:\t\"4711\"\n"#, #"高速道路のSA "#]
    let text = String(repeating: sentences[index % sentences.count], count: 1 + index % 20)
    return #"{"title":"record \#(index)","text":"\#(text)"}"#
  }

  private static func row(_ index: Int) -> String {
    let exponent = "\(index % 9 + 1).5e\(index % 30)"
    return "[\(index),\(-index * 7919),\(index % 100).\(index % 1000),0.\(index),\(exponent),\(index &* 2_654_435_761)]"
  }

  private static func tower(_ index: Int) -> String {
    let floors = ReaderLimits().depth - 12
    return String(repeating: #"{"child":"#, count: floors) + "\(index)" + String(repeating: "}", count: floors)
  }

  private static func member(_ index: Int) -> String { #""reading \#(index)":\#(index % 1000)"# }
}
