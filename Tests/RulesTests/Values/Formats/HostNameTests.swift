import Testing

@testable import Rules

@Suite struct HostNameTests {
  static let label63 = String(repeating: "a", count: 63)

  @Test(arguments: [
    "localhost", "www.example.com", "EXAMPLE.com", "a", "1", "1host", "a1", "host-name", "a--b", "a.b.c", "3com.com", "1.2.3",
    "1.2.3.4.5",
    "1.2.3.a", label63, "\(label63).\(label63).\(label63).\(String(repeating: "a", count: 61))", "xn--mxa", "XN--MXA",
    "Xn--Mxa.example",
    "xn--ihqwcrb4cv8a8dqg056pqjye", "xn--4gbwdl.xn--wgbh1c", "xn--bcher-kva.example",
  ])
  func `ASCII host names are accepted by both formats`(text: String) {
    #expect(StringFormat.hostname.accepts(text))
    #expect(StringFormat.idnHostname.accepts(text))
  }

  @Test(arguments: [
    "", ".", "..", "a..b", ".a", "a.", "-", "-a", "a-", "a.-b", "a-.b", "_a", "a_b", "a b", " a", "a ", "a\n", "a\0", "a\0b",
    "a/b", "a:80",
    "a@b", "*.a", "[::1]", "::1", "1.2.3.4", "255.255.255.255", "999.1.1.1", label63 + "a",
    "\(label63).\(label63).\(label63).\(label63)", "\(label63).\(label63).\(label63).\(String(repeating: "a", count: 62))",
    // Invalid A-labels: undecodable, disallowed code points, not canonical, with hyphens, ASCII only, against the Bidi rule.
    "xn--X", "xn--", "xn---", "xn--a", "xn--7a", "xn---9uc", "XN--aa---o47jg78q", "xn--example-", "xn--0ca24w", "xn--99999999",
    "xn--1-zhc74b",
    "a.xn--a",
    // Next to a right-to-left label, no label may begin with a digit.
    "0a.xn--4db", "xn--4db.0a",
  ])
  func `invalid ASCII host names are refused by both formats`(text: String) {
    #expect(!StringFormat.hostname.accepts(text))
    #expect(!StringFormat.idnHostname.accepts(text))
  }

  /// RFC 5890 has reserved labels, RFC 1123 doesn't.
  @Test(arguments: ["ab--cd", "r3---sn-4g5e6nsz.example"])
  func `hyphens in third and fourth place are reserved in idn-hostname`(text: String) {
    #expect(StringFormat.hostname.accepts(text))
    #expect(!StringFormat.idnHostname.accepts(text))
  }

  @Test(arguments: [
    "bücher.example", "실례.테스트", "ß", "ς", "ßς་〇", "مثال.إختبار", "例え.テスト", "παράδειγμα", "пример.испытание", "a.b。c．d｡e", "ü-1",
    "1ü",
    // Contextual rules of RFC 5892, appendix A.
    "क्\u{200C}ष", "क्\u{200D}ष", "क्\u{200C}", "بي\u{200C}بي", "l·l", "col·lecció", "α͵β", "͵β", "א׳ב", "א״ב", "a・丈", "・ぁ", "ァ・",
    "ب٠ب", "ب۰ب", "۰0",
    // Bidi: labels of both directions next to each other, marks after a last letter.
    "א.a", "a.א", "אב1", "א1.b", "אָ", "ü.א", "a1.א",
    "\(String(repeating: "ü", count: 50)).com",
  ])
  func `international host names are accepted only by idn-hostname`(text: String) {
    #expect(StringFormat.idnHostname.accepts(text))
    #expect(!StringFormat.hostname.accepts(text))
  }

  @Test(arguments: [
    "。", "．", "｡", "ü。", "。ü", "ü。。ü", "-ü", "ü-", "ab--ü", "xn--ü", "ü_", "ü ü", "ü\0", "ü\0ü", "Ü", "Bücher", "ü!", "u\u{308}",
    "\u{308}u", "ः",
    "\u{488}a",
    // Disallowed by RFC 5892, or its exceptions.
    "실〮례", "〯", "〱", "〵", "〻", "ـ", "ߺ", "ａ", "①", "♥", "😎", "İ", "ﬁ", "½", "²", "\u{AD}", "\u{FEFF}", "\u{200B}", "\u{2060}",
    "\u{E000}",
    "\u{10FFFF}", "\u{FFFD}", "\u{378}", "․", "…",
    // Contextual rules.
    "क\u{200D}ष", "\u{200D}ष", "क\u{200C}ष", "\u{200C}", "\u{200D}", "क्\u{200C}षx\u{200C}y", "بي\u{200C}", "a·l", "l·a", "·l",
    "l·", "l·L",
    "α͵", "α͵s", "׳ב", "a׳", "״ב", "・", "a・b", "ب٠۰", "٠۰ب", "۰٠",
    // Bidi within a label, and among labels.
    "aא", "אa", "1א", "٠ب", "א1٠", "א٠1", "א1𐴰", "א-\u{5B0}", "אˆ\u{300}", "a.א1٠", "א-", "0a.א", "א.0a", "א.۰", "א.a.1", "ˆ.א",
    "ァ・.א", "・ァ.א", "a.xn--4db.ˆ",
    // Too long as an A-label, and as a name of A-labels.
    String(repeating: "ü", count: 60), String(repeating: "실", count: 64),
    Array(repeating: String(repeating: "ü", count: 50), count: 5).joined(separator: "."),
  ])
  func `malformed text is not an international host name`(text: String) {
    #expect(!StringFormat.idnHostname.accepts(text))
    #expect(!StringFormat.hostname.accepts(text))
  }

  /// U+3002 and similar full stops separate labels only in names as typed by users.
  @Test func `ideographic full stops separate labels only in idn-hostname`() {
    for text in ["a。b", "a．b", "a｡b"] {
      #expect(StringFormat.idnHostname.accepts(text))
      #expect(!StringFormat.hostname.accepts(text))
      #expect(!StringFormat.idnEmail.accepts("ü@" + text))
    }
  }
}
