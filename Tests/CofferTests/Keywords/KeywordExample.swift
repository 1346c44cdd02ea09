import Coffer
import Testing

/// An example of a page: rules, a document, and its findings.
///
///     **Example: a title**
///
///     ```json      the rules; omitted if they are those of the previous example
///     ```json      the document
///     ```text      `code pointer` lines, with `(warning)` or `(note)` if it isn't an error; or `valid`
struct KeywordExample: CustomTestStringConvertible, Sendable {
  /// `page`, or `page: title`.
  let name: String
  let rules: String
  let document: String
  let findings: [String]

  var testDescription: String { name }

  /// Returns all examples of a page in order. A malformed example becomes one that matches no evaluation.
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
