import ByteStreams
import Findings
import Foundation
import Testing

@testable import Reports

@Suite struct ReportEncoderTests {
  /// Returns the report's JSON without white space. The values of these tests contain none.
  private func compact(_ report: some Encodable) -> String {
    JSONReport().text(of: report).filter { !$0.isWhitespace }
  }

  @Test func `members have the order in which they are encoded`() {
    struct Report: Encodable {
      let zebra = 1, apple = 2, mango = 3
      enum CodingKeys: String, CodingKey { case mango, zebra = "Zebra", apple }
    }
    #expect(
      JSONReport().text(of: Report()) == """
        {
          "formatVersion": 1,
          "mango": 3,
          "Zebra": 1,
          "apple": 2
        }

        """)
  }

  @Test func `numbers, strings and booleans are exact`() {
    struct Report: Encodable {
      let largest = UInt64.max, smallest = Int64.min, byte = UInt8(255), short = Int16(-1)
      let whole = 20.0, third = 1.0 / 3, tiny = Double.leastNonzeroMagnitude, float = Float(0.1)
      let yes = true, text = "é\"\\/", empty = ""
    }
    #expect(
      compact(Report())
        == #"{"formatVersion":1,"largest":18446744073709551615,"smallest":-9223372036854775808,"byte":255,"short":-1,"#
        + #""whole":20.0,"third":0.3333333333333333,"tiny":5e-324,"float":0.1,"yes":true,"text":"é\"\\/","empty":""}"#)
  }

  @Test func `values nest`() {
    struct Report: Encodable {
      enum Kind: String, Encodable { case plain }
      struct Item: Encodable {
        let kind = Kind.plain
        let parts: [[Int]]
      }
      struct Nothing: Encodable {}
      let items = [Item(parts: [[1, 2], []]), Item(parts: [])]
      let nothing = Nothing()
      let none: [Item] = []
    }
    #expect(
      compact(Report())
        == #"{"formatVersion":1,"items":[{"kind":"plain","parts":[[1,2],[]]},{"kind":"plain","parts":[]}],"nothing":{},"none":[]}"#
    )
  }

  @Test func `missing values are left out unless they are encoded`() {
    struct Report: Encodable {
      let a: Int? = nil, b: Int? = 1
      func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Keys.self)
        try members.encodeIfPresent(a, forKey: .a)
        try members.encodeIfPresent(b, forKey: .b)
        try members.encode(a, forKey: .c)
        try members.encode([a, b], forKey: .d)
        try members.encodeNil(forKey: .e)
      }
    }
    #expect(compact(Report()) == #"{"formatVersion":1,"b":1,"c":null,"d":[null,1],"e":null}"#)
  }

  @Test func `report members are null or left out, and have the order of the list`() {
    struct Report: Encodable {
      let absent: Int? = nil
      func encode(to encoder: any Encoder) throws {
        try encoder.encode(["z": absent, "y": IfPresent(absent), "x": IfPresent(1), "w": ["b": 1, "a": absent] as ReportMembers])
        try encoder.encode([:])
        try encoder.encode(["a": [:] as ReportMembers, "c": ReportMembers(["z": 1, "a": 2])])
      }
    }
    #expect(compact(Report()) == #"{"formatVersion":1,"z":null,"x":1,"w":{"b":1,"a":null},"a":{},"c":{"a":2,"z":1}}"#)
  }

  @Test func `nested containers end with the next member of the outer one`() {
    struct Report: Encodable {
      func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Keys.self)
        var list = members.nestedUnkeyedContainer(forKey: .a)
        try list.encode(1)
        var item = list.nestedContainer(keyedBy: Keys.self)
        try item.encode("x", forKey: .b)
        var inner = item.nestedUnkeyedContainer(forKey: .c)
        try inner.encode(true)
        _ = list.nestedUnkeyedContainer()
        try list.encodeNil()
        #expect(list.count == 4)
        var object = members.nestedContainer(keyedBy: Keys.self, forKey: .d)
        try object.encode(2, forKey: .a)
        try members.encode(3, forKey: .e)
      }
    }
    #expect(compact(Report()) == #"{"formatVersion":1,"a":[1,{"b":"x","c":[true]},[],null],"d":{"a":2},"e":3}"#)
  }

  @Test func `several values are encoded into one object`() {
    struct Part: Encodable { let c = 3 }
    struct Report: Encodable {
      func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Keys.self)
        try members.encode([1], forKey: .a)
        try Part().encode(to: encoder)
        try members.encode(4, forKey: .d)
      }
    }
    #expect(compact(Report()) == #"{"formatVersion":1,"a":[1],"c":3,"d":4}"#)
  }

  @Test func `super encoders take values, and are empty objects without one`() {
    class Base: Encodable {
      let a = 1
    }
    final class Derived: Base {
      override func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Keys.self)
        try super.encode(to: members.superEncoder())
        _ = members.superEncoder(forKey: .b)
        var list = members.nestedUnkeyedContainer(forKey: .c)
        try 5.encode(to: list.superEncoder())
        _ = list.superEncoder()
        var last = members.superEncoder(forKey: .d).singleValueContainer()
        try last.encode("x")
      }
    }
    #expect(compact(Derived()) == #"{"formatVersion":1,"super":{"a":1},"b":{},"c":[5,{}],"d":"x"}"#)
  }

  @Test func `the coding path leads to each value`() {
    struct Leaf: Encodable {
      func encode(to encoder: any Encoder) throws {
        #expect(encoder.codingPath.map(\.stringValue) == ["a", "1", "b"])
        #expect(encoder.codingPath[1].intValue == 1)
        try 1.encode(to: encoder)
      }
    }
    struct Report: Encodable {
      func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Keys.self)
        try members.encode([["b": 0], [:]] as [[String: Int]], forKey: .b)
        var list = members.nestedUnkeyedContainer(forKey: .a)
        try list.encodeNil()
        try list.encode(["b": Leaf()])
      }
    }
    #expect(compact(Report()) == #"{"formatVersion":1,"b":[{"b":0},{}],"a":[null,{"b":1}]}"#)
  }

  @Test(arguments: [
    ("\u{1B}[31m", #"\u001B[31m"#), ("\u{202E}\u{2066}", #"\u202E\u2066"#), ("\u{0}\u{7F}\u{85}", #"\u0000\u007F\u0085"#),
    ("\n\t\r", #"\n\t\r"#), ("\u{2028}", #"\u2028"#), ("👩‍👧", "👩‍👧"),
  ])
  func `control characters in strings and names are escaped`(text: String, escaped: String) throws {
    let report = JSONReport().text(of: [text: text])
    #expect(report == "{\n  \"formatVersion\": 1,\n  \"\(escaped)\": \"\(escaped)\"\n}\n")
    let read = try JSONSerialization.jsonObject(with: Data(report.utf8)) as? [String: Any]
    #expect(read?[text] as? String == text)
  }

  @Test func `a long report is written in pieces, and is the same`() throws {
    struct Report: Encodable {
      var texts: [String]
    }
    let report = Report(texts: (0..<20_000).map { "\u{1B}é \($0)" })
    var sink = PieceSink()
    try JSONReport().write(report, to: &sink)
    #expect(sink.pieces.count > 5)
    #expect(sink.pieces.allSatisfy { $0.count < 80_000 })
    #expect(String(decoding: sink.pieces.joined(), as: UTF8.self) == JSONReport().text(of: report))
  }

  @Test func `an error of the sink ends the report, and the sink keeps what it has`() throws {
    var encoded = 0
    struct Item: Encodable {
      let note: () -> Void
      func encode(to encoder: any Encoder) throws {
        note()
        try String(repeating: "x", count: 1000).encode(to: encoder)
      }
    }
    let items = (0..<10_000).map { _ in Item { encoded += 1 } }
    var sink = PieceSink(limit: 2)
    #expect(throws: CofferError.self) { try JSONReport().write(FileReports(items), to: &sink) }
    #expect(sink.pieces.count == 2)
    #expect(encoded < 250)
  }
}

private enum Keys: CodingKey { case a, b, c, d, e }

/// Keeps each piece, up to a number of them.
private struct PieceSink: ByteSink {
  var pieces: [[UInt8]] = []
  var limit = Int.max

  init(limit: Int = .max) { self.limit = limit }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    guard pieces.count < limit else { throw CofferError(.noSpace, "the disk is full") }
    pieces.append(Array(bytes))
  }
}
