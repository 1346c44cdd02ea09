import ArgumentParser
import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import CofferCommand

/// The documentation shows what the command really does.
///
/// `COFFER_RECORD=1 swift test --filter DocumentationTests` writes real outputs and options into the pages.
@Suite struct PageTests {

  @Test(arguments: Page.all) func `linked files exist`(page: Page) {
    let folder = Checkout.folder.appending(path: page.path).deletingLastPathComponent()
    for target in page.linkedFiles {
      #expect(FileManager.default.fileExists(atPath: folder.appending(path: target).path), "\(target)")
    }
  }

  @Test func `the README is short`() throws {
    #expect(try Page(path: "README.md").text.utf8.count <= 8192)
  }

  @Test func `every verb has a page with its options`() {
    let verbs = CofferCommand.configuration.subcommands.map { $0._commandName }
    for verb in verbs {
      let page = Page.all.first { $0.path == "docs/commands/\(verb).md" }
      #expect(page?.text.contains("<!-- options: \(verb)") == true, "docs/commands/\(verb).md")
    }
  }

  @Test(arguments: Page.all) func `command lines can be parsed`(page: Page) {
    for case (_, .commands(let lines)) in page.parts {
      for line in lines where line.hasPrefix("coffer ") {
        #expect(throws: Never.self, "\(line)") { try CofferCommand.parseAsRoot(Array(Self.words(of: line).dropFirst())) }
      }
    }
  }

  @Test(arguments: Page.all) func `examples print the output that the page shows`(page: Page) async throws {
    let folder = try TemporaryFolder()
    var text = page.text
    var replacements: [(Range<String.Index>, String)] = []
    for (range, part) in page.parts {
      switch part {
      case .commands: break
      case .setup(let script): #expect(try await Self.output(of: "set -e\n" + script, in: folder) == "", "the set-up")
      case .options(let verb, let shown):
        let options = "\n\n```text\n\(try await Self.options(of: verb, in: folder))\n```\n\n"
        if options != shown { replacements.append((range, "<!-- options: \(verb) -->\(options)<!-- end of options -->")) }
        if !Recording.isOn { #expect(shown == options, "the options of \(verb)") }
      case .console(let console):
        var steps: [Page.Console.Step] = []
        var hasChanged = false
        for step in console.steps {
          let output = try await Self.output(of: step.command, in: folder)
          let isSame = Self.withoutTimes(output) == Self.withoutTimes(step.output)
          if !Recording.isOn { #expect(Self.withoutTimes(step.output) == Self.withoutTimes(output), "$ \(step.command)") }
          hasChanged = hasChanged || !isSame
          steps.append(Page.Console.Step(command: step.command, output: isSame ? step.output : output))
        }
        if hasChanged { replacements.append((range, "```console\n\(Page.Console(steps: steps).text)```")) }
      }
    }
    guard Recording.isOn, !replacements.isEmpty else { return }
    for (range, replacement) in replacements.reversed() { text.replaceSubrange(range, with: replacement) }
    try Data(text.utf8).write(to: Checkout.folder.appending(path: page.path))
  }

  /// Returns the words of a line's first command, without quotes and comments.
  private static func words(of line: Substring) -> [String] {
    var words = [""]
    var quote: Character?
    for character in line {
      switch character {
      case quote: quote = nil
      case "'" where quote == nil, "\"" where quote == nil: quote = character
      case "|" where quote == nil, ">" where quote == nil, "&" where quote == nil, ";" where quote == nil:
        return words.filter { !$0.isEmpty }
      case "#" where quote == nil && words.last == "": return words.dropLast()
      case " " where quote == nil: if words.last != "" { words.append("") }
      default: words[words.count - 1].append(character)
      }
    }
    return words.filter { !$0.isEmpty }
  }

  /// Removes durations and speeds, which differ in each run.
  private static func withoutTimes(_ text: String) -> String {
    text.replacing(#/[0-9.]+ s( \([0-9.,]+ [kMG]?B/s\))?/#, with: "TIME")
  }

  private static func options(of verb: String, in folder: TemporaryFolder) async throws -> String {
    let help = try await output(of: "coffer \(verb) --help", in: folder)
    let usage = help.range(of: "USAGE: ")
    let end = usage.flatMap { help[$0.upperBound...].range(of: "\n\n") }
    return end.map { String(help[$0.upperBound...]) } ?? ""
  }

  /// Returns a script's output on both streams, without trailing line breaks; `coffer` is the command built with this test.
  private static func output(of script: String, in folder: TemporaryFolder) async throws -> String {
    let path = "\(BuildFolder.url.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
    let result = try await Subprocess.run(
      .path("/bin/sh"), arguments: ["-c", "exec 2>&1 </dev/null\n" + script],
      environment: .inherit.updating([
        "PATH": path, "NO_COLOR": "1", "TZ": "UTC", "LC_ALL": "C.UTF-8", "XDG_CACHE_HOME": "\(folder.path)/.cache",
        "XDG_CONFIG_HOME": "\(folder.path)/.config",
      ]),
      workingDirectory: folder.path, output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
    var text = result.standardOutput
    while text.hasSuffix("\n") { text.removeLast() }
    return text
  }
}
