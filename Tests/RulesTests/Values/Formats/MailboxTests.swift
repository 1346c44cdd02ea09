import Testing

@testable import Rules

@Suite struct MailboxTests {
  @Test(arguments: [
    "joe.bloggs@example.com", "a@b", "joe@localhost", "te~st@example.com", "~test@example.com", "test~@example.com",
    "te.s.t@example.com",
    "user+tag@example.com", "!#$%&'*+-/=?^_`{|}~@example.com", "1@2.de", "-@a-b.c", "\"joe bloggs\"@example.com",
    "\"joe..bloggs\"@example.com", "\"joe@bloggs\"@example.com", "\"\"@example.com", "\"a\\\"b\\\\c\\ d\"@example.com",
    "joe@[127.0.0.1]",
    "joe@[IPv6:::1]", "joe@[ipv6:2001:db8::1]", "joe@[IPv6:1:2:3:4:5:6:7:8]", "joe@[IPv6:::ffff:1.2.3.4]",
    "joe@xn--bcher-kva.example",
    String(repeating: "a", count: 64) + "@example.com",
  ])
  func `ASCII mailboxes are accepted by both formats`(text: String) {
    #expect(StringFormat.email.accepts(text))
    #expect(StringFormat.idnEmail.accepts(text))
  }

  @Test(arguments: [
    "", "@", "2962", "joe", "joe@", "@example.com", "joe.@example.com", ".joe@example.com", "j..e@example.com",
    "joe bloggs@example.com",
    "joe@@example.com", "joe@a@b", "joe@example..com", "joe@.example.com", "joe@example.com.", "joe@-example.com",
    "joe@example-.com",
    "joe@exam_ple.com", "joe@invalid=domain.com", "joe@exam ple.com", " joe@example.com", "joe@example.com ", "joe@example.com\n",
    "joe\0@example.com", "joe@example\0.com", "Joe <joe@example.com>", "<joe@example.com>", "joe@example.com, ann@example.com",
    "joe(comment)@example.com", "joe,bloggs@example.com", "joe:x@example.com", "joe;x@example.com", "joe[x]@example.com",
    "joe\\x@example.com",
    "\"joe@example.com", "joe\"@example.com", "\"joe\"bloggs@example.com", "joe.\"bloggs\"@example.com", "\"a\"b\"@example.com",
    "\"a\\\"@example.com", "\"a\tb\"@example.com", "\"a\\\tb\"@example.com", "\"a\nb\"@example.com", "\"\u{7F}\"@example.com",
    "joe@[127.0.0.300]", "joe@[127.0.0]", "joe@127.0.0.1", "joe@[::1]", "joe@[IPv6:]", "joe@[IPv6:::g]", "joe@[IPv6:127.0.0.1]",
    "joe@[IPv6:1::3:4:5:6:7:8]", "joe@[IPv6:1:2:3:4:5:6:7::]", "joe@[IPv6:1:2:3:4:5::1.2.3.4]", "joe@[127.0.0.1",
    "joe@127.0.0.1]",
    "joe@[127.0.0.1]a", "joe@[127.0.0.1] ", "joe@[]", "joe@[x:y]", "joe@[ 127.0.0.1]", "joe@xn--X.example",
    String(repeating: "a", count: 65) + "@example.com", "joe@" + String(repeating: "a", count: 64) + ".com",
  ])
  func `malformed text is not a mailbox`(text: String) {
    #expect(!StringFormat.email.accepts(text))
    #expect(!StringFormat.idnEmail.accepts(text))
  }

  @Test(arguments: [
    "실례@실례.테스트", "jörg@example.com", "joe@bücher.example", "用户@例子.广告", "अजय@डाटा.भारत", "θσερ@εχαμπλε.ψομ", "\"jö rg\"@example.com",
    "ü@[127.0.0.1]", "😎@example.com", "\u{80}@example.com",
  ])
  func `international mailboxes are accepted only by idn-email`(text: String) {
    #expect(StringFormat.idnEmail.accepts(text))
    #expect(!StringFormat.email.accepts(text))
  }

  @Test(arguments: [
    "ü@😎.com", "ü@Bücher.example", "ü@-ü.example", "ü@", "@ü", "ü", ".ü@a", "ü.@a", "ü@a。b", "\"\\ü\"@a", "ü@[IPv6:::ü]",
    String(repeating: "ü", count: 33) + "@example.com",
  ])
  func `malformed text is not an international mailbox`(text: String) {
    #expect(!StringFormat.idnEmail.accepts(text))
  }

  /// A domain is normalised to NFC for its lookup.
  @Test func `the domain of a mailbox need not be in NFC`() {
    #expect(StringFormat.idnEmail.accepts("user@cafe\u{301}.com"))
    #expect(StringFormat.idnEmail.accepts("user@caf\u{E9}.com"))
    #expect(!StringFormat.idnHostname.accepts("cafe\u{301}.com"))
  }
}
