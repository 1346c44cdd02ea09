import Coffer
import Testing

/// An example of a page: rules, a document, and what is found in it.
///
///     **Example: a title**
///
///     ```json      the rules; left out where they are those of the example before
///     ```json      the document
///     ```text      `code pointer` lines, with `(warning)` or `(note)` where it is no error; or `sound`
struct KeywordExample: CustomTestStringConvertible, Sendable {
  /// `page`, or `page: title`.
  let name: String
  let rules: String
  let document: String
  let findings: [String]

  var testDescription: String { name }

  /// All examples of a page, in its order. What doesn't fit the form makes one that no evaluation agrees with.
  static func all(of page: KeywordPage) -> [KeywordExample] {
    var examples: [KeywordExample] = []
    var name = page.keywords[0]
    var rules = ""
    var sources: [String] = []
    var block: (language: Substring, lines: [Substring])?
    for line in page.text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let title = line.firstMatch(of: /^\*\*Example(?:: ([^*]+))?\*\*/) {
        name = page.keywords[0] + (title.1.map { ": \($0)" } ?? "")
      }
      guard line.hasPrefix("```") else {
        block?.lines.append(line)
        continue
      }
      guard let ended = block else {
        block = (line.dropFirst(3), [])
        continue
      }
      block = nil
      if ended.language == "json" {
        sources.append(ended.lines.joined(separator: "\n"))
        continue
      }
      if sources.count == 2 { rules = sources.removeFirst() }
      examples.append(
        KeywordExample(
          name: name, rules: rules, document: sources.joined(),
          findings: ended.lines == ["valid"] ? [] : ended.lines.map(String.init)))
      sources = []
    }
    return examples
  }
}
