import Testing

@testable import Rules

/// Long texts that could make a check scan them repeatedly.
@Suite struct HostileTextTests {
  /// The start of one of the formats, and the part that a long text repeats after it.
  static let shapes: [(head: String, body: String)] = [
    ("", "a"), ("", "1"), ("", "."), ("", "a."), ("", "-"), ("", ":"), ("", "/"), ("", "~0"), ("", "%41"), ("", "{a}"), ("", "{"),
    ("", "ü"),
    ("", "ü."), ("", "。"), ("", "\0"), ("", "😎"), ("", "@"), ("", "\""), ("\"", "\\\""), ("a@", "a."), ("a@[", "1"),
    ("a://", "a@"),
    ("a://", "ü:"), ("a://[", ":"), ("a:", "?"), ("P", "1"), ("PT", "1H"), ("0.", "0"), ("1e", "9"), ("-", "9"), ("xn--", "a"),
    ("2026-06-28T20:15:00.", "9"), ("{", "a."), ("{", "a,"), ("{a:", "1"), ("/", "~"), ("0+", "1"), ("#", "a"), ("::", "1:"),
    ("", "xn--a."),
  ]

  /// The limit is far more than one pass takes; one pass per character would take hours.
  @Test(.timeLimit(.minutes(10)), arguments: StringFormat.allCases.filter { $0 != .regex }, shapes.indices)
  func `long texts are checked in one pass`(format: StringFormat, shape: Int) {
    let (head, body) = Self.shapes[shape]
    let text = head + String(repeating: body, count: 200_000 / body.utf8.count)
    // Four more pieces, because base64 has groups of four.
    #expect(format.accepts(text) == format.accepts(text + String(repeating: body, count: 4)))
  }

  @Test func `few formats accept empty text`() {
    let accepting = StringFormat.allCases.filter { $0.accepts("") }
    #expect(accepting == [.uriReference, .iriReference, .uriTemplate, .jsonPointer, .regex, .base64])
  }

  /// Any prefix of a text, and any text with one replaced character, is checked: nothing is read past the end.
  @Test(arguments: StringFormat.allCases)
  func `damaged text is accepted or refused without a trap`(format: StringFormat) {
    let samples = [
      "2026-06-28T20:15:00.5+02:00", "P1Y2M3DT4H5M6S", "\"j\\\"o\"@[IPv6:2001:db8::1]", "jö@bücher.xn--mxa.example",
      "1:2:3:4:5:6:1.2.3.4",
      "http://ü:p@[::1]:80/a%41?b#c", "/a{?b:1,c*}%41", "550e8400-e29b-41d4-a716-446655440000", "12-3/a~0", "-12.5e+3", "#007AFF",
      "EUR", "[a-z]+",
    ]
    for sample in samples {
      let scalars = Array(sample.unicodeScalars)
      for index in scalars.indices {
        for replacement in ["", "\0", "%", "-", "ü", "।", "9"] as [String] {
          var text = String.UnicodeScalarView(scalars[..<index])
          _ = format.accepts(String(text))
          text.append(contentsOf: replacement.unicodeScalars)
          text.append(contentsOf: scalars[(index + 1)...])
          _ = format.accepts(String(text))
        }
      }
    }
  }
}
