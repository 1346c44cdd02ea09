import ByteStreams
import Findings
import Foundation
import JSONEvents
import Reports
import Testing

/// No text of a document gets a meaning in a report.
@Suite struct HostileTextTests {
  @Test func `every line of workflow commands begins with a command of Coffer`() throws {
    let lines = try ValidationResults.hostile.text(as: .github).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.last?.isEmpty == true)
    let starts = ["::error file=", "::warning file=", "::notice file=", "coffer: "]
    for line in lines.dropLast() {
      #expect(starts.contains { line.hasPrefix($0) }, "\(line)")
      #expect(!line.unicodeScalars.contains { $0.value < 0x20 })
      // The first :: after the command ends its properties, none of which has an unescaped comma.
      let properties = line.dropFirst(2).prefix { $0 != ":" }.split(separator: " ", maxSplits: 1).last ?? ""
      for property in properties.split(separator: ",") where line.hasPrefix("::") {
        #expect(["file", "line", "col", "endLine", "endColumn", "title"].contains(property.prefix { $0 != "=" }), "\(line)")
      }
    }
    #expect(try ValidationResults.hostile.text(as: .github) == lines.joined(separator: "\n"))
  }

  @Test func `a combining mark doesn't hide a character that must be escaped`() throws {
    var report = ValidationReport(file: "a,\u{301}line=9:\u{301}b%\u{301}.json")
    report.error = CofferError(.syntax, "%\u{301}0A|\u{301}<\u{301}")
    let results = ValidationResults([report], toolVersion: "1")
    #expect(
      try results.text(as: .github)
        == "::error file=a%2C\u{301}line=9%3A\u{301}b%25\u{301}.json,title=syntax::%25\u{301}0A|\u{301}<\u{301}\n")
    #expect(try results.text(as: .html).contains("|\u{301}&lt;\u{301}</bdi>"))
    #expect(try results.text(as: .markdown).contains("%\u{301}0A&#124;\u{301}&#60;\u{301}"))
  }

  @Test(arguments: [ReportFormat.html, .junit, .checkstyle, .markdown, .sarif, .gitlab, .rdjsonl, .github])
  func `reports have no control characters and no characters that change the text direction`(format: ReportFormat) throws {
    for scalar in try ValidationResults.hostile.text(as: format).unicodeScalars {
      let isUnprintable =
        switch scalar.value {
        case 0x0A: false
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
      #expect(!isUnprintable, "\(String(scalar.value, radix: 16))")
    }
  }

  @Test func `a page has no elements, attributes or addresses of a document`() throws {
    let page = try ValidationResults.hostile.text(as: .html)
    for text in ["<script", "onclick='x'", "<b>", "</style></title>", "href=\"http", "src=", "url(", "@import", "<!--"] {
      #expect(!page.contains(text), "\(text)")
    }
    #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
    #expect(page.components(separatedBy: "</style>").count == 2)
    // Every link leads into the page.
    #expect(page.components(separatedBy: "href=\"").dropFirst().allSatisfy { $0.hasPrefix("#") })
  }

  @Test func `every row of a summary's table has the cells of its heading`() throws {
    var width = 0
    for line in try ValidationResults.hostile.text(as: .markdown).split(separator: "\n", omittingEmptySubsequences: false) {
      let bars = line.count { $0 == "|" }
      if !line.hasPrefix("|") { width = 0 } else if width == 0 { width = bars }
      if line.hasPrefix("|") { #expect(bars == width, "\(line)") } else { #expect(bars == 0, "\(line)") }
      #expect(!line.contains("<script") && !line.contains("](") && !line.contains("www.") && !line.contains("http:"))
    }
  }

  @Test func `links in SARIF's messages are texts`() throws {
    let text = try ValidationResults.hostile.text(as: .sarif)
    #expect(text.contains(#""text": "{{0}} {{{{1}}}} \\[link\\](1)""#))
    #expect(text.contains(#""text": "`code` *b* _i_ ~~s~~ \\[a\\](https://evil.example) !\\[i\\](x)""#))
  }
}
