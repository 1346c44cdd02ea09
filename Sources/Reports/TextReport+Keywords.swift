import ByteStreams
import Findings
public import Rules

extension TextReport {
  /// Returns all keywords by group, each with a one-sentence summary.
  public func text(of reference: KeywordReference) -> String {
    let indent = 25
    return reference.groups.map { group in
      let lines = group.pages.flatMap { page in
        let names = page.keywords.joined(separator: ", ")
        let gap = indent - names.count - 2
        if gap > 0 { return page.summary.wrapped(after: "  " + names + Self.blanks(gap), columns: width) }
        // Long rows of names get their own line.
        return names.wrapped(after: "  ", columns: width) + page.summary.wrapped(after: Self.blanks(indent), columns: width)
      }
      return "\(group.title)\n" + lines.map { $0 + "\n" }.joined()
    }.joined(separator: "\n")
  }

  /// Returns the page with its fenced blocks indented by four spaces. Prose fits the terminal; examples and tables stay as they are.
  public func text(of page: KeywordPage) -> String {
    var isCode = false
    var lines: [String] = []
    var paragraph = ""
    func endParagraph() {
      if paragraph.isEmpty { return }
      let label = paragraph.hasPrefix("- ") ? "- " : ""
      lines += String(paragraph.dropFirst(label.count)).wrapped(after: label, columns: width)
      paragraph = ""
    }
    for line in page.text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        endParagraph()
        isCode.toggle()
      } else if isCode || width == nil || line.isEmpty || line.hasPrefix("|") {
        endParagraph()
        lines.append(isCode ? "    " + line : String(line))
      } else {
        if line.hasPrefix("- ") { endParagraph() }
        paragraph += (paragraph.isEmpty ? "" : " ") + line.drop { $0 == " " }
      }
    }
    endParagraph()
    return lines.joined(separator: "\n")
  }
}
