import Foundation

/// A module's DocC catalog. Its code is the same as the snippets that the module's tests compile and run.
///
/// For example:
///
///     let catalog = DocumentationCatalog(of: "CofferFolders")
///     try catalog.differences(between: "CofferFolders.md", and: "OverviewSnippets.swift")     // []
///     try catalog.unlistedTypes                                                               // []
///
/// The snippets are in `Tests/<Module>Tests/Articles`, each between `// snippet: name` and `// end`.
package struct DocumentationCatalog {
  private let sources: URL
  private let catalog: URL
  private let snippets: URL

  /// - Parameter module: the module's name.
  package init(of module: String) {
    sources = Checkout.folder.appending(path: "Sources/\(module)")
    catalog = sources.appending(path: "\(module).docc")
    snippets = Checkout.folder.appending(path: "Tests/\(module)Tests/Articles")
  }

  /// Returns the Swift code that only a page has, and that only its snippets have.
  ///
  /// - Parameters:
  ///   - page: the page's path in the catalog.
  ///   - source: the name of the file with the snippets.
  package func differences(between page: String, and source: String) throws -> [String] {
    let blocks = try blocks(of: page)
    let snippets = Self.snippets(in: try String(contentsOf: snippets.appending(path: source), encoding: .utf8))
    if blocks.isEmpty { return ["\(page) has no code"] }
    return blocks.filter { !snippets.contains($0) }.map { "not in \(source):\n\($0)" }
      + snippets.filter { !blocks.contains($0) }.map { "not in \(page):\n\($0)" }
  }

  /// Returns the contents of a page's blocks of this language.
  package func blocks(of page: String, language: String = "swift") throws -> [String] {
    try String(contentsOf: catalog.appending(path: page), encoding: .utf8)
      .components(separatedBy: "```\(language)\n").dropFirst().map { $0.components(separatedBy: "\n```")[0] }
  }

  /// The module's public types, without nested ones, that are in no list of topics.
  package var unlistedTypes: [String] {
    get throws {
      let pages = try Checkout.files(below: catalog, ending: ".md").map {
        try String(contentsOf: catalog.appending(path: $0), encoding: .utf8)
      }
      let lists = pages.compactMap { $0.components(separatedBy: "\n## Topics\n").dropFirst().first }
      return try types.filter { name in !lists.contains { $0.contains("``\(name)``") } }
    }
  }

  /// The module's public types, without nested ones, sorted.
  private var types: [String] {
    get throws {
      var names: [String] = []
      for file in Checkout.files(below: sources, ending: ".swift") {
        let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
        let declaration = #/(?m)^public (?:final )?(?:struct|enum|class|actor|protocol|typealias) (\w+)/#
        names += text.matches(of: declaration).map { String($0.1) }
      }
      return names.sorted()
    }
  }

  /// Returns the code between `// snippet: name` and `// end`, without the indentation of its first line.
  private static func snippets(in code: String) -> [String] {
    code.components(separatedBy: "// snippet: ").dropFirst().map { part in
      let lines = part.components(separatedBy: "// end")[0].components(separatedBy: "\n").dropFirst().dropLast()
      let indentation = lines.first?.prefix { $0 == " " }.count ?? 0
      return lines.map { String($0.dropFirst(min(indentation, $0.prefix { $0 == " " }.count))) }.joined(separator: "\n")
    }
  }
}
