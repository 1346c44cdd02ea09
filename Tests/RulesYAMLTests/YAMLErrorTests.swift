import ByteStreams
import Rules
import RulesYAML
import Testing

/// Invalid YAML, and features of YAML that rules may not use, are errors with a cause and a place.
@Suite struct YAMLErrorTests {
  static let wrong: [(yaml: String, message: String)] = [
    ("", "the document is empty (the root, line 1, column 1)"),
    ("# nothing\n\n", "the document is empty (the root, line 3, column 1)"),
    ("a: 1\n---\nb: 2", "a second document begins here: there must be only one (the root, line 2, column 1)"),
    ("a:\n  b: [1, 2\nc: 2", "while parsing a flow sequence, which begins in line 2 (/a/b/2, line 3, column 2)"),
    ("a: 'b", "found unexpected end of stream while scanning a quoted scalar (/a, line 1, column 6)"),
    ("a: @b", "not valid YAML: '@' can't begin a value: put the value in quotes (/a, line 1, column 4)"),
    ("a: `b`", "'`' can't begin a value: put the value in quotes (/a, line 1, column 4)"),
    ("a:\n\t- b", "not valid YAML: a tab is not allowed here: use spaces (/a, line 2, column 1)"),
    ("a: b: c", "mapping values are not allowed in this context (the root, line 1, column 5)"),
    ("a:\n  - b\n c: d", "while parsing a block mapping, which begins in line 1 (the root, line 3, column 2)"),
    // Keys.
    ("a: 1\nb:\n  é: 1\n  c: 2\n  é: 3", "duplicate key 'é': first at line 3, column 3 (/b/é, line 5, column 3)"),
    ("{1: a, '1': b}", "duplicate key '1': first at line 1, column 2 (/1, line 1, column 8)"),
    ("? [a]\n: b", "a key must be a string, not a sequence (the root, line 1, column 3)"),
    ("- {a: 1}\n- {? {a: b} : c}", "a key must be a string, not a mapping (/1, line 2, column 6)"),
    ("a: &x b\n*x : c", "a key can't be an alias (the root, line 2, column 1)"),
    ("a: &x {b: c}\nd:\n  <<: *x", "'<<' is not supported: use $ref or allOf, or quote it as a key (/d, line 3, column 3)"),
    // Numbers that JSON can't write.
    (
      "minimum: 0x1F",
      "'0x1F' is a number that JSON can't write: put it in quotes to make it a string (/minimum, line 1, column 10)"
    ),
    ("- 0o17", "'0o17' is a number"), ("- 007", "'007' is a number"), ("- -01.5", "'-01.5' is a number"),
    ("- +1", "'+1' is a number"), ("- .5", "'.5' is a number"), ("- 1.", "'1.' is a number"), ("- 1.e3", "'1.e3' is a number"),
    ("- .inf", "'.inf' is a number"), ("- -.INF", "'-.INF' is a number"), ("- .NaN", "'.NaN' is a number"),
    // Tags.
    ("a: !!int 3", "unknown tag 'tag:yaml.org,2002:int'"),
    ("a: !!binary aGk=", "unknown tag 'tag:yaml.org,2002:binary'"),
    ("a: !mine {}", "unknown tag '!mine'"),
    ("a: !!str []", "unknown tag 'tag:yaml.org,2002:str'"),
    ("!mine a: 1", "unknown tag '!mine'"),
    ("a: !e!b c", "found undefined tag handle while parsing a node (/a, line 1, column 4)"),
    // Aliases.
    ("a: *x", "'*x' refers to no earlier value (/a, line 1, column 4)"),
    ("a: [*x, &x 1]", "'*x' refers to no earlier value (/a/0, line 1, column 5)"),
    ("a: &x\n  b: [1, *x]", "'*x' is inside the value that it refers to (/a/b/1, line 2, column 10)"),
    // Control characters.
    ("a: b\n\u{1}", "not valid YAML: control characters are not allowed (the root, line 2, column 1)"),
  ]

  @Test(arguments: wrong)
  func `an error in YAML has a cause and a place`(_ yaml: String, _ message: String) throws {
    let error = #expect(throws: CofferError.self) { try RuleSyntax.yaml.read(MemorySource(yaml.utf8)) }
    #expect(try #require(error).description.contains(message), "\(error?.description ?? "")")
  }

  static let undecodable: [(bytes: [UInt8], message: String)] = [
    (Array("a: é\nb: ".utf8) + [0xFF], "invalid leading UTF-8 octet (the root, line 2, column 4)"),
    (Array("a: ".utf8) + [0xC3], "incomplete UTF-8 octet sequence (the root, line 1, column 4)"),
    (Array("a: ".utf8) + [0xED, 0xA0, 0x80], "invalid Unicode character (the root, line 1, column 4)"),
    // UTF-16, with and without its mark.
    ([0xFF, 0xFE, 0x61, 0x00, 0x3A, 0x00], "invalid leading UTF-8 octet (the root, line 1, column 1)"),
    ([0x61, 0x00, 0x3A, 0x00], "control characters are not allowed (the root, line 1, column 2)"),
  ]

  @Test(arguments: undecodable)
  func `text that is not UTF-8 is an error with its place`(_ bytes: [UInt8], _ message: String) throws {
    let error = #expect(throws: CofferError.self) { try RuleSyntax.yaml.read(MemorySource(bytes)) }
    #expect(try #require(error).description.contains(message), "\(error?.description ?? "")")
  }
}
