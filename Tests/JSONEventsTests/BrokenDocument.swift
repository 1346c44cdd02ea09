import ByteStreams
import JSONEvents
import Testing

/// A document that is not JSON, and the error that its reader must report.
struct BrokenDocument: Sendable, CustomTestStringConvertible {
  let text: String
  let code: CofferError.Code
  /// line:column @offset
  let place: String
  let message: String

  init(_ text: String, _ code: CofferError.Code, _ place: String, _ message: String) {
    self.text = text
    self.code = code
    self.place = place
    self.message = message
  }

  var testDescription: String { text }
}

extension BrokenDocument {
  static let all = truncated + misplaced + tokens + trailing + encodings

  /// The document ends too early.
  static let truncated = [
    BrokenDocument("   ", .empty, "1:4 @3", "the document is empty"),
    BrokenDocument("[", .truncated, "1:2 @1", "the document ends where a value or ']' was expected, with 1 bracket open"),
    BrokenDocument("[1", .truncated, "1:3 @2", "the document ends where ',' or ']' was expected, with 1 bracket open"),
    BrokenDocument("[1,", .truncated, "1:4 @3", "the document ends where a value was expected, with 1 bracket open"),
    BrokenDocument("[1 , \n ", .truncated, "2:2 @7", "the document ends where a value was expected, with 1 bracket open"),
    BrokenDocument(
      "{", .truncated, "1:2 @1", "the document ends where a key in double quotes or '}' was expected, with 1 bracket open"),
    BrokenDocument(
      "{\"a\"", .truncated, "1:5 @4", "the document ends where ':' after the key was expected, with 1 bracket open"),
    BrokenDocument(#"{"a":"#, .truncated, "1:6 @5", "the document ends where a value was expected, with 1 bracket open"),
    BrokenDocument(#"{"a":1"#, .truncated, "1:7 @6", "the document ends where ',' or '}' was expected, with 1 bracket open"),
    BrokenDocument(
      #"{"a":1,"#, .truncated, "1:8 @7", "the document ends where a key in double quotes was expected, with 1 bracket open"),
    BrokenDocument(
      #"[[{"a":["#, .truncated, "1:9 @8", "the document ends where a value or ']' was expected, with 4 brackets open"),
    BrokenDocument("\"", .truncated, "1:2 @1", "the document ends inside a string that begins at line 1, column 1"),
    BrokenDocument("\"abc", .truncated, "1:5 @4", "the document ends inside a string that begins at line 1, column 1"),
    BrokenDocument(#""abc\u00"#, .truncated, "1:9 @8", "the document ends inside a string that begins at line 1, column 1"),
    BrokenDocument("-", .truncated, "1:2 @1", "the document ends inside a number that begins at line 1, column 1"),
    BrokenDocument("1e", .truncated, "1:3 @2", "the document ends inside a number that begins at line 1, column 1"),
    BrokenDocument("[1.5e+", .truncated, "1:7 @6", "the document ends inside a number that begins at line 1, column 2"),
    BrokenDocument("t", .truncated, "1:2 @1", "the document ends inside the word 't' that begins at line 1, column 1"),
    BrokenDocument("nul", .truncated, "1:4 @3", "the document ends inside the word 'nul' that begins at line 1, column 1"),
    BrokenDocument(#"["‹E2 82›"#, .truncated, "1:4 @4", "the document ends inside a character"),
    BrokenDocument("‹EF BB BF›", .empty, "1:1 @3", "the document is empty"),
    BrokenDocument("‹EF›", .truncated, "1:2 @1", "the document ends inside a character"),
  ]

  /// A token is in the place of another one.
  static let misplaced = [
    BrokenDocument("]", .syntax, "1:1 @0", "expected a value, found ']'"),
    BrokenDocument(",", .syntax, "1:1 @0", "expected a value, found ','"),
    BrokenDocument("[1 2]", .syntax, "1:4 @3", "expected ',' or ']', found '2': a comma is missing"),
    BrokenDocument("[1,,2]", .syntax, "1:4 @3", "expected a value, found ','"),
    BrokenDocument("[,1]", .syntax, "1:2 @1", "expected a value or ']', found ','"),
    BrokenDocument("[1,]", .syntax, "1:4 @3", "JSON doesn't allow a comma before ']'"),
    BrokenDocument("{]", .syntax, "1:2 @1", "expected a key in double quotes or '}', found ']'"),
    BrokenDocument(#"{"a" 1}"#, .syntax, "1:6 @5", "expected ':' after the key, found '1'"),
    BrokenDocument(#"{"a":}"#, .syntax, "1:6 @5", "expected a value, found '}'"),
    BrokenDocument(#"{"a"::1}"#, .syntax, "1:6 @5", "expected a value, found ':'"),
    BrokenDocument(#"{"a":1 "b":2}"#, .syntax, "1:8 @7", "expected ',' or '}', found a string: a comma is missing"),
    BrokenDocument(#"{"a":1,}"#, .syntax, "1:8 @7", "JSON doesn't allow a comma before '}'"),
    BrokenDocument(#"{"a":1]"#, .syntax, "1:7 @6", "expected ',' or '}', found ']'"),
    BrokenDocument("{1:2}", .syntax, "1:2 @1", "JSON doesn't allow a key without double quotes: write \"1\""),
    BrokenDocument("{a:1}", .syntax, "1:2 @1", "JSON doesn't allow a key without double quotes: write \"a\""),
    BrokenDocument("{'a':1}", .syntax, "1:2 @1", "JSON doesn't allow single quotes: use double quotes"),
    BrokenDocument(#"["a" "b"]"#, .syntax, "1:6 @5", "expected ',' or ']', found a string: a comma is missing"),
    BrokenDocument(#"["a":1]"#, .syntax, "1:5 @4", "expected ',' or ']', found ':'"),
    BrokenDocument("[+1]", .syntax, "1:2 @1", "JSON doesn't allow '+' before a number"),
    BrokenDocument("[01]", .syntax, "1:3 @2", "JSON doesn't allow leading zeros"),
    BrokenDocument("[1.]", .syntax, "1:4 @3", "expected a digit after '.', found ']'"),
    BrokenDocument("[.5]", .syntax, "1:2 @1", "JSON doesn't allow '.' at the start of a number: write 0 before it"),
    BrokenDocument("[1.e3]", .syntax, "1:4 @3", "expected a digit after '.', found 'e'"),
    BrokenDocument("[1e]", .syntax, "1:4 @3", "expected a digit in the exponent, found ']'"),
    BrokenDocument("[-a]", .syntax, "1:3 @2", "expected a digit after '-', found 'a'"),
    BrokenDocument("[1a]", .syntax, "1:3 @2", "expected ',' or ']', found 'a'"),
    BrokenDocument("[NaN]", .syntax, "1:2 @1", "JSON doesn't allow NaN"),
    BrokenDocument("[-Infinity]", .syntax, "1:3 @2", "JSON doesn't allow -Infinity"),
    BrokenDocument("[nulls]", .syntax, "1:6 @5", "expected ',' or ']', found 's'"),
    BrokenDocument("[undefined]", .syntax, "1:2 @1", "JSON doesn't allow undefined: write null"),
    BrokenDocument("[truefalse]", .syntax, "1:6 @5", "expected ',' or ']', found 'f'"),
    BrokenDocument("['a']", .syntax, "1:2 @1", "JSON doesn't allow single quotes: use double quotes"),
    BrokenDocument("[‹C2 A0›1]", .syntax, "1:2 @1", "expected a value or ']', found U+00A0"),
    BrokenDocument("[1,\n é]", .syntax, "2:2 @5", "expected a value, found 'é'"),
    BrokenDocument("[‹F0 9F 94 8B›]", .syntax, "1:2 @1", "expected a value or ']', found '🔋'"),
    BrokenDocument("[‹EF BB BF›]", .syntax, "1:2 @1", "expected a value or ']', found U+FEFF"),
    BrokenDocument("[‹01›]", .syntax, "1:2 @1", "expected a value or ']', found control character U+0001"),
    BrokenDocument("[‹7F›]", .syntax, "1:2 @1", "expected a value or ']', found control character U+007F"),
    BrokenDocument("‹EF BB BF›‹EF BB BF›{}", .syntax, "1:1 @3", "expected a value, found U+FEFF"),
    BrokenDocument("é", .syntax, "1:1 @0", "expected a value, found 'é'"),
    BrokenDocument("[1, // no\n2]", .syntax, "1:5 @4", "JSON doesn't allow comments"),
    BrokenDocument(#"{"a": 1 /* no */}"#, .syntax, "1:9 @8", "JSON doesn't allow comments"),
    BrokenDocument("# no\n[]", .syntax, "1:1 @0", "JSON doesn't allow comments"),
    BrokenDocument("[1, / 2]", .syntax, "1:5 @4", "expected a value, found '/'"),
    BrokenDocument("[None]", .syntax, "1:2 @1", "JSON doesn't allow None: write null"),
    BrokenDocument(#"{"a": True}"#, .syntax, "1:7 @6", "JSON doesn't allow True: write true"),
    BrokenDocument("[nan]", .syntax, "1:2 @1", "JSON doesn't allow nan"),
    BrokenDocument("[Nonesuch]", .syntax, "1:2 @1", "expected a value or ']', found 'N'"),
    BrokenDocument("[1 null]", .syntax, "1:4 @3", "expected ',' or ']', found 'n': a comma is missing"),
    BrokenDocument("[{}{}]", .syntax, "1:4 @3", "expected ',' or ']', found '{': a comma is missing"),
    BrokenDocument("[2026-01-01]", .syntax, "1:6 @5", "expected ',' or ']', found '-'"),
    BrokenDocument(#"["say "hi""]"#, .syntax, "1:8 @7", "expected ',' or ']', found 'h'"),
    BrokenDocument("[{}1]", .syntax, "1:4 @3", "expected ',' or ']', found '1': a comma is missing"),
    BrokenDocument("[“a”]", .syntax, "1:2 @1", "JSON doesn't allow typographic quotes: use straight double quotes"),
    BrokenDocument(#"{"a":1,b_c:2}"#, .syntax, "1:8 @7", "JSON doesn't allow a key without double quotes: write \"b_c\""),
    BrokenDocument("/* no */1", .syntax, "1:1 @0", "JSON doesn't allow comments"),
  ]

  /// A token is malformed.
  static let tokens = [
    BrokenDocument("[\"a\nb", .syntax, "1:4 @3", "a string contains control character U+000A, which must be escaped"),
    BrokenDocument(#"["\x41"]"#, .syntax, "1:3 @2", "a string contains an invalid escape: \\ before 'x'"),
    BrokenDocument(#"["\u12G4"]"#, .syntax, "1:3 @2", "the escape \\u needs four hexadecimal digits"),
    BrokenDocument(#"["\‹C3 A9›"]"#, .syntax, "1:3 @2", "a string contains an invalid escape: \\ before 'é'"),
    BrokenDocument(
      "[\"a\tb\"]", .syntax, "1:4 @3", "a string contains control character U+0009, which must be escaped"),
    BrokenDocument(
      "[\"a\nb\"]", .syntax, "1:4 @3", "a string contains control character U+000A, which must be escaped"),
    BrokenDocument(
      #"["‹00›"]"#, .syntax, "1:3 @2", "a string contains control character U+0000, which must be escaped"),
    BrokenDocument("[‹0B›1]", .syntax, "1:2 @1", "JSON doesn't allow a vertical tab"),
    BrokenDocument(#"["‹0C›"]"#, .syntax, "1:3 @2", "JSON doesn't allow a form feed"),
    BrokenDocument("[1‹0C›]", .syntax, "1:3 @2", "JSON doesn't allow a form feed"),
    BrokenDocument("‹0C›", .syntax, "1:1 @0", "JSON doesn't allow a form feed"),
    BrokenDocument("1‹0B›", .syntax, "1:2 @1", "JSON doesn't allow a vertical tab"),
  ]

  /// Something follows the value.
  static let trailing = [
    BrokenDocument(#"[]"abc"#, .syntax, "1:3 @2", "the document is complete, but a string follows"),
    BrokenDocument("[]]", .syntax, "1:3 @2", "the document is complete, but ']' follows"),
    BrokenDocument("1 2", .syntax, "1:3 @2", "the document is complete, but '2' follows"),
    BrokenDocument(
      "{} \n {}", .syntax, "2:2 @5",
      "the document is complete, but '{' follows; if the file has several documents, read it as a sequence"),
    BrokenDocument("truefalse", .syntax, "1:5 @4", "the document is complete, but 'f' follows"),
    BrokenDocument(
      "[]{}", .syntax, "1:3 @2",
      "the document is complete, but '{' follows; if the file has several documents, read it as a sequence"),
    BrokenDocument("\"a\" ‹FF›", .syntax, "1:5 @4", "the document is complete, but byte 0xFF follows"),
    BrokenDocument("[] ‹0C›", .syntax, "1:4 @3", "the document is complete, but form feed follows"),
    BrokenDocument("[]é", .syntax, "1:3 @2", "the document is complete, but 'é' follows"),
    BrokenDocument("[] 🔋", .syntax, "1:4 @3", "the document is complete, but '🔋' follows"),
    BrokenDocument("[]x", .syntax, "1:3 @2", "the document is complete, but 'x' follows"),
    BrokenDocument("[1]// no", .syntax, "1:4 @3", "JSON doesn't allow comments"),
  ]

  /// The text is not UTF-8, or an escape represents no character.
  static let encodings = [
    BrokenDocument(#"["‹C0 80›"]"#, .encoding, "1:3 @2", "byte 0xC0 begins an overlong form, which UTF-8 forbids"),
    BrokenDocument(#"["‹ED A0 80›"]"#, .encoding, "1:3 @2", "byte 0xED begins a surrogate, which UTF-8 forbids"),
    BrokenDocument(#"["‹F4 90 80 80›"]"#, .encoding, "1:3 @2", "byte 0xF4 begins a code point above U+10FFFF"),
    BrokenDocument(#"["‹F7 BF BF BF›"]"#, .encoding, "1:3 @2", "byte 0xF7 never occurs in UTF-8"),
    BrokenDocument(#"["‹80›"]"#, .encoding, "1:3 @2", "byte 0x80 is a UTF-8 continuation byte without a lead byte"),
    BrokenDocument(#"["é‹FF›"]"#, .encoding, "1:4 @4", "byte 0xFF never occurs in UTF-8"),
    BrokenDocument(#"{"‹E0 80 80›":1}"#, .encoding, "1:3 @2", "byte 0xE0 begins an overlong form, which UTF-8 forbids"),
    BrokenDocument(#"["‹F0 80 80 80›"]"#, .encoding, "1:3 @2", "byte 0xF0 begins an overlong form, which UTF-8 forbids"),
    BrokenDocument(#"["‹C3›"]"#, .encoding, "1:3 @2", "byte 0xC3 begins a UTF-8 sequence that is not completed"),
    BrokenDocument(
      #"["\ud800"]"#, .encoding, "1:3 @2", "the escape \\ud800 is an unpaired surrogate"),
    BrokenDocument(
      #"["\ud800\u0041"]"#, .encoding, "1:3 @2", "the escape \\ud800 is an unpaired surrogate"),
    BrokenDocument(
      #"["é\udc00"]"#, .encoding, "1:4 @4", "the escape \\udc00 is an unpaired surrogate"),
    BrokenDocument(
      #"{"\udfff":1}"#, .encoding, "1:3 @2", "the escape \\udfff is an unpaired surrogate"),
    BrokenDocument(
      "‹FE FF 00›[‹00›]", .encoding, "1:1 @0", "the text is UTF-16 (big endian), but must be UTF-8: convert it first"),
    BrokenDocument(
      "‹FF FE›[‹00›]‹00›", .encoding, "1:1 @0", "the text is UTF-16 (little endian), but must be UTF-8: convert it first"),
    BrokenDocument("‹00›[‹00›]", .encoding, "1:1 @0", "the text is UTF-16 (big endian), but must be UTF-8: convert it first"),
    BrokenDocument("[‹00›]‹00›", .encoding, "1:1 @0", "the text is UTF-16 (little endian), but must be UTF-8: convert it first"),
    BrokenDocument("1‹00›", .encoding, "1:1 @0", "the text is UTF-16 (little endian), but must be UTF-8: convert it first"),
    BrokenDocument(
      "‹00 00 FE FF 00 00 00›1", .encoding, "1:1 @0", "the text is UTF-32 (big endian), but must be UTF-8: convert it first"),
    BrokenDocument(
      "‹FF FE 00 00›1‹00 00 00›", .encoding, "1:1 @0", "the text is UTF-32 (little endian), but must be UTF-8: convert it first"),
    BrokenDocument("‹00 00 00›1", .encoding, "1:1 @0", "the text is UTF-32 (big endian), but must be UTF-8: convert it first"),
    BrokenDocument("1‹00 00 00›", .encoding, "1:1 @0", "the text is UTF-32 (little endian), but must be UTF-8: convert it first"),
    BrokenDocument("‹FF›", .encoding, "1:1 @0", "byte 0xFF never occurs in UTF-8"),
  ]
}
