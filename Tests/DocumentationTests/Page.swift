import Foundation
import TestSupport
import Testing

/// A Markdown page of the repository, and the parts of it that are tested.
struct Page: CustomTestStringConvertible, Sendable {
  /// The path relative to the repository.
  let path: String
  let text: String

  enum Part {
    /// A comment with shell commands that make the files for the page's examples.
    case setup(script: String)
    /// Commands and their output.
    case console(Console)
    /// Command lines that are parsed but not run.
    case commands([Substring])
    /// The arguments and options of a verb, as in its help.
    case options(verb: String, text: String)
  }

  struct Console {
    /// A command, with continued lines, and the lines that it prints.
    struct Step {
      let command: String
      let output: String
    }

    let steps: [Step]
  }

  init(path: String) throws {
    self.path = path
    text = try String(contentsOf: Checkout.folder.appending(path: path), encoding: .utf8)
  }

  var testDescription: String { path }

  /// README.md, CONTRIBUTING.md and everything in docs.
  static let all: [Page] = {
    let names = Checkout.files(below: Checkout.folder.appending(path: "docs"), ending: ".md").map { "docs/" + $0 }
    return (["README.md", "CONTRIBUTING.md"] + names).compactMap { try? Page(path: $0) }
  }()

  /// The parts with their ranges in the text.
  var parts: [(range: Range<String.Index>, part: Part)] {
    let pattern =
      #/<!-- setup\n(?<setup>[\s\S]*?)-->|<!-- options: (?<verb>[a-z ]+) -->(?<options>[\s\S]*?)<!-- end of options -->|(?m:^)```(?<kind>[a-z]*)\n(?<body>[\s\S]*?)(?m:^)```$/#
      .anchorsMatchLineEndings()
    return text.matches(of: pattern).compactMap { match in
      if let setup = match.setup { return (match.range, .setup(script: String(setup))) }
      if let verb = match.verb, let options = match.options {
        return (match.range, .options(verb: String(verb), text: String(options)))
      }
      switch match.kind {
      case "console": return (match.range, .console(Console(match.body ?? "")))
      case "sh": return (match.range, .commands((match.body ?? "").split(separator: "\n")))
      default: return nil
      }
    }
  }

  /// The link targets that are not URLs, without anchors.
  var linkedFiles: [String] {
    text.matches(of: #/\]\((?<target>[^)\s#]+)[^)]*\)/#).map { String($0.target) }.filter { !$0.contains("://") }
  }
}

extension Page.Console {
  init(_ body: Substring) {
    var steps: [Step] = []
    var lines = body.split(separator: "\n", omittingEmptySubsequences: false)[...]
    while let line = lines.popFirst() {
      guard line.hasPrefix("$ ") else { continue }
      var command = String(line.dropFirst(2))
      while command.hasSuffix("\\"), let next = lines.popFirst() { command += "\n" + next }
      let output = lines.prefix { !$0.hasPrefix("$ ") }
      lines = lines.dropFirst(output.count)
      steps.append(Step(command: command, output: output.joined(separator: "\n").trimmingSuffix("\n")))
    }
    self.steps = steps
  }

  var text: String {
    steps.map { "$ \($0.command)\n" + ($0.output.isEmpty ? "" : $0.output + "\n") }.joined()
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    var text = self[...]
    while text.hasSuffix(suffix) { text = text.dropLast(suffix.count) }
    return String(text)
  }
}
