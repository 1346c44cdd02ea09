import Testing

@testable import Rules

@Suite struct URITemplateTests {
  @Test(arguments: [
    "", "/", "http://example.com/~{username}/", "http://example.com/dictionary/{term:1}/{term}", "{?q,lang}", "{&x,y,empty}",
    "{+path,x}/here", "{#path,x}", "X{.list*}", "{/list*,path:4}", "{;keys*}", "map?{x,y}", "{var:9999}", "{var:1}", "{a.b.c}",
    "{_a_}",
    "{%41b}", "{1}", "a%20b", "caf%C3%A9", "ünï/{x}", "\u{E000}{x}", "it's", "{=x}", "{,x}", "{!x}", "{@x}", "{|x}",
    "#[]@!$&'()*+,;=:?",
    "{x}{y}", "{x},{y}", "{keys*}",
  ])
  func `templates with expressions in braces are accepted`(text: String) {
    #expect(StringFormat.uriTemplate.accepts(text))
  }

  @Test(arguments: [
    "{", "}", "{}", "{term", "term}", "{{x}}", "{x{y}}", "{x}}", "{+}", "{?}", "{x,}", "{,}", "{x,,y}", "{x y}", "{ x}", "{x }",
    "{x:}",
    "{x:0}", "{x:01}", "{x:10000}", "{x:a}", "{x:-1}", "{x:1*}", "{x*:1}", "{x**}", "{*x}", "{x.}", "{.}", "{..x}", "{a..b}",
    "{x%}",
    "{x%4}", "{x-y}", "{$x}", "{ü}", "{x:১}", "%", "%4", "%zz", "a b", "a\"b", "<a>", "a\\b", "a^b", "a`b", "a|b", "a\0b",
    "a\u{7F}b",
    "a\u{80}b", "\u{FFFE}", "{??x}", "{/?x}",
  ])
  func `malformed text is not a template`(text: String) {
    #expect(!StringFormat.uriTemplate.accepts(text))
  }
}
