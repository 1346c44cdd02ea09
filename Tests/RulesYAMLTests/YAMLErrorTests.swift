import ByteStreams
import Rules
import RulesYAML
import Testing

/// Invalid YAML, and features of YAML that rules may not use, are errors with a cause and a place.
@Suite struct YAMLErrorTests {
  static let wrong: [(yaml: String, message: String)] = [
    ("", "the rules are empty (the root, line 1, column 1)"),
    ("# nothing\n\n", "the rules are empty (the root, line 3, column 1)"),
    ("a: 1\n---\nb: 2", "a second document begins here; rules are one (the root, line 2, column 1)"),
    ("a:\n  b: [1, 2\nc: 2", "while parsing a flow sequence, which begins in line 2 (/a/b/2, line 3, column 2)"),
    ("a: 'b", "found unexpected end of stream while scanning a quoted scalar (/a, line 1, column 6)"),
    ("a: @b", "the rules are no YAML: '@' begins no value: it must be in quotes (/a, line 1, column 4)"),
    ("a: `b`", "'`' begins no value: it must be in quotes (/a, line 1, column 4)"),
    ("a:\n\t- b", "the rules are no YAML: a tab stands where only blanks may (/a, line 2, column 1)"),
    ("a: b: c", "mapping values are not allowed in this context (the root, line 1, column 5)"),
    ("a:\n  - b\n c: d", "while parsing a block mapping, which begins in line 1 (the root, line 3, column 2)"),
    // Keys.
    ("a: 1\nb:\n  é: 1\n  c: 2\n  é: 3", "the key 'é' stands here again: first in line 3, column 3 (/b/é, line 5, column 3)"),
    ("{1: a, '1': b}", "the key '1' stands here again: first in line 1, column 2 (/1, line 1, column 8)"),
    ("? [a]\n: b", "a key is a string, no sequence (the root, line 1, column 3)"),
    ("- {a: 1}\n- {? {a: b} : c}", "a key is a string, no mapping (/1, line 2, column 6)"),
    ("a: &x b\n*x : c", "a key can't be an alias (the root, line 2, column 1)"),
    ("a: &x {b: c}\nd:\n  <<: *x", "'<<' merges nothing here: use $ref or allOf; a key it is in quotes (/d, line 3, column 3)"),
    // Numbers that JSON can't write.
    ("minimum: 0x1F", "'0x1F' is a number that JSON can't write: as a string it must be in quotes (/minimum, line 1, column 10)"),
    ("- 0o17", "'0o17' is a number"), ("- 007", "'007' is a number"), ("- -01.5", "'-01.5' is a number"),
    ("- +1", "'+1' is a number"), ("- .5", "'.5' is a number"), ("- 1.", "'1.' is a number"), ("- 1.e3", "'1.e3' is a number"),
    ("- .inf", "'.inf' is a number"), ("- -.INF", "'-.INF' is a number"), ("- .NaN", "'.NaN' is a number"),
    // Tags.
    ("a: !!int 3", "the tag 'tag:yaml.org,2002:int' is not known here"),
    ("a: !!binary aGk=", "the tag 'tag:yaml.org,2002:binary' is not known here"),
    ("a: !mine {}", "the tag '!mine' is not known here"),
    ("a: !!str []", "the tag 'tag:yaml.org,2002:str' is not known here"),
    ("!mine a: 1", "the tag '!mine' is not known here"),
    ("a: !e!b c", "found undefined tag handle while parsing a node (/a, line 1, column 4)"),
    // Aliases.
    ("a: *x", "'*x' names no value before it (/a, line 1, column 4)"),
    ("a: [*x, &x 1]", "'*x' names no value before it (/a/0, line 1, column 5)"),
    ("a: &x\n  b: [1, *x]", "'*x' stands inside the value that it names (/a/b/1, line 2, column 10)"),
    // Control characters.
    ("a: b\n\u{1}", "the rules are no YAML: control characters are not allowed (the root, line 2, column 1)"),
  ]

  @Test(arguments: wrong)
  func `an error in YAML has a cause and a place`(_ yaml: String, _ message: String) throws {
    let error = #expect(throws: RuleCompileError.self) { try RuleSyntax.yaml.read(MemorySource(yaml.utf8)) }
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
    let error = #expect(throws: RuleCompileError.self) { try RuleSyntax.yaml.read(MemorySource(bytes)) }
    #expect(try #require(error).description.contains(message), "\(error?.description ?? "")")
  }
}
