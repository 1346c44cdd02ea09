import Testing

@testable import Rules

@Suite struct PointerTextTests {
  @Test(arguments: [
    "", "/", "//", "/foo", "/foo/0", "/a~1b", "/m~0n", "/~01", "/c%d", "/e^f", "/g|h", "/i\\j", "/k\"l", "/ ", "/foo//bar",
    "/foo/",
    "/-", "/\0", "/\n", "/ключ/😎", "/~0~1~0",
  ])
  func `tokens after slashes are a JSON pointer`(text: String) {
    #expect(StringFormat.jsonPointer.accepts(text))
    #expect(StringFormat.relativeJSONPointer.accepts("0" + text))
  }

  @Test(arguments: [
    "a", "0", "#", "#/", "#/a", "a/b", " /a", "/~", "/a~", "/~2", "/~-1", "/~~", "/~~0", "/a/~/b", "/a~ ", "~0", "~1a",
  ])
  func `malformed text is not a JSON pointer`(text: String) {
    #expect(!StringFormat.jsonPointer.accepts(text))
  }

  @Test(arguments: [
    "0", "1", "10", "120/foo", "0#", "12#", "0/", "2/0/baz/1", "0+1", "0-1", "1+10/a", "1-2#", "0+0", "3-1/a~1b",
    "99999999999999999999999999",
  ])
  func `a number of levels begins a relative JSON pointer`(text: String) {
    #expect(StringFormat.relativeJSONPointer.accepts(text))
  }

  @Test(arguments: [
    "", "/", "/foo", "#", "-1", "+1/a", "01", "01#", "00", "0##", "0#/a", "1a", "0/~", "0/~2", "1 ", " 1", "1\n", "0+", "0-",
    "0+01",
    "0+-1", "0+1+1", "0+a", "1.5", "١/foo", "1٢", "0~0", "0\0",
  ])
  func `malformed text is not a relative JSON pointer`(text: String) {
    #expect(!StringFormat.relativeJSONPointer.accepts(text))
  }
}
