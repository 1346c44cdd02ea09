import Testing

@testable import Rules

@Suite struct ResourceIdentifierTests {
  /// ASCII identifiers with a scheme.
  static let identifiers = [
    "ftp://ftp.is.co.za/rfc/rfc1808.txt", "http://www.ietf.org/rfc/rfc2396.txt", "ldap://[2001:db8::7]/c=GB?objectClass?one",
    "mailto:John.Doe@example.com", "news:comp.infosystems.www.servers.unix", "tel:+1-816-555-1212", "telnet://192.0.2.16:80/",
    "urn:oasis:names:specification:docbook:dtd:xml:4.1.2", "foo://example.com:8042/over/there?name=ferret#nose", "a:", "a://",
    "a:///b", "a:/b", "a:b", "a:?", "a:#", "a:?b?c/d#e?f/g", "a+b-c.1:x", "A:B", "http://user:pa:ss@host:80/", "http://@host",
    "http://:80",
    "http://host:", "http://a@", "http://-.~_!$&'()*+,;=:%40:80%2f::::::@example.com",
    "http://foo.bar/?q=Test%20URL-encoded%20stuff",
    "http://[::1]", "http://[::ffff:1.2.3.4]:8080/", "http://[v1.a:b]", "http://[VF0.!]", "http://1.2.3.4.5.6/",
    "http://256.256.256.256/",
    "http://a//b", "a:%00", "a:b@c:d", "http://host?q", "http://host#f", "a:b//c", "file:///C:/x", "http://host/a;b=1,2/(c)'*!$&",
  ]

  /// ASCII references without a scheme.
  static let references = [
    "", "/", "//", "//host", "//host/path", "/a:b", "a/b:c", "./a:b", "?q", "#f", "?q#f", "a", "a@b", "..", "/a//b", "*", "%41",
    "%3A",
    "//host:80", "//u@h", "#", "?", "1", "a;b",
  ]

  @Test(arguments: identifiers)
  func `text with a scheme is an identifier`(text: String) {
    for format in [StringFormat.uri, .uriReference, .iri, .iriReference] { #expect(format.accepts(text)) }
  }

  @Test(arguments: references)
  func `text without a scheme is only a reference`(text: String) {
    for format in [StringFormat.uriReference, .iriReference] { #expect(format.accepts(text)) }
    for format in [StringFormat.uri, .iri] { #expect(!format.accepts(text)) }
  }

  @Test(arguments: [
    " ", "a b", "http://a b/", "http:// host", "a:b c", " http://host", "http://host ", "http://host\n", "\\\\WINDOWS\\share",
    "a:\\b",
    "a:<b>", "a:\"b\"", "a:{b}", "a:|b", "a:^b", "a:`b", "a:%", "a:%4", "a:%4g", "a:%g4", "a:#b#c", "##", ":", ":a", "://a",
    "1:b", "1a:b",
    "+a:b", "a_b:c", "@:", "%41:b", "*:b", "http://a@b@c", "http://host:80a", "http://host:a", "http://host:8:0", "http://[::1",
    "http://::1]",
    "http://[]", "http://[1]", "http://[::1]a", "http://[::1%25eth0]", "http://[::1.2.3]", "http://[v1]", "http://[v1.]",
    "http://[v.a]",
    "http://[vg.a]", "http://[v1.a/b]", "http://[1.2.3.4]", "http://a[::1]", "http://a]", "a:[", "a:b[c]", "//[", "a:?[", "a:#]",
    "a:\0",
    "a:\u{7F}", "http://2001:db8:85a3::8a2e:370:7334", "http://u:p@[::1", "?a b", "#a^b",
  ])
  func `malformed text is neither an identifier nor a reference`(text: String) {
    for format in [StringFormat.uri, .uriReference, .iri, .iriReference] { #expect(!format.accepts(text)) }
  }

  @Test(arguments: [
    "http://ƒøø.ßår/?∂éœ=πîx#πîüx", "http://résumé.example.org", "http://例え.jp/パス", "a:😎", "http://ü@ö:80/ä", "a:?\u{E000}",
    "a:?\u{F0000}",
    "a:\u{A0}", "a:\u{FFEF}", "a:\u{1FFFD}", "a:\u{E1000}",
  ])
  func `non-ASCII identifiers are accepted only by the IRI formats`(text: String) {
    for format in [StringFormat.iri, .iriReference] { #expect(format.accepts(text)) }
    for format in [StringFormat.uri, .uriReference] { #expect(!format.accepts(text)) }
  }

  @Test(arguments: [
    "ü:a", "aü:b", "http://host:８０", "a:%４1", "a:\u{80}", "a:\u{9F}", "a:\u{E000}", "a:#\u{E000}", "a:\u{FFF0}", "a:\u{FFFD}",
    "a:\u{1FFFE}", "a:\u{E0001}", "a:?\u{FFFFE}", "a:\u{202E}", "a:?\u{200F}", "http://[ü]", "a:ü ", "//ü[",
  ])
  func `disallowed characters are refused in IRIs`(text: String) {
    for format in [StringFormat.iri, .iriReference] { #expect(!format.accepts(text)) }
  }

  /// Swift literals can't contain all of these.
  @Test func `noncharacters are refused in IRIs`() throws {
    for value in [0xFDD0, 0xFDEF, 0xFFFE, 0xFFFF, 0x1FFFE, 0xEFFFF, 0x10FFFF] as [UInt32] {
      let scalar = try #require(Unicode.Scalar(value))
      for text in ["a:\(scalar)", "a:?\(scalar)"] { #expect(!StringFormat.iri.accepts(text)) }
    }
  }

  @Test func `relative IRIs are references`() {
    for text in ["âππ", "/âππ", "//ƒøø.ßår/?∂éœ=πîx#πîüx", "#ƒrägmênt", "?\u{E000}", "ä/b:c"] {
      #expect(StringFormat.iriReference.accepts(text))
      #expect(!StringFormat.iri.accepts(text))
    }
    #expect(!StringFormat.iriReference.accepts("ä:b"))
  }
}
