import Testing

@testable import Rules

@Suite struct HexadecimalTextTests {
  @Test(arguments: ["#000000", "#FFFFFF", "#007AFF", "#3fA7d6"])
  func `a colour has six digits`(text: String) {
    #expect(StringFormat.colorHex.accepts(text))
  }

  @Test(arguments: [
    "", "#", "3FA7D6", "#3FA", "#3FAF", "#3FA7D", "#3FA7D60", "#3FA7D6FF", "#3FA7DG", "#3FA7D ", " #3FA7D6", "#3FA7D6\n",
    "##FA7D6", "0x3FA7D6",
    "#3FA7D\0", "#১২৩৪৫৬", "#é45678", "red", "#@@@@@@", "#``````",
  ])
  func `malformed text is not a colour`(text: String) {
    #expect(!StringFormat.colorHex.accepts(text))
  }
}
