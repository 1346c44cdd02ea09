package import ByteStreams
public import SystemPackage

/// How a rule document is written: as JSON, or in another syntax for the same values, which a module of its own reads.
///
/// So whoever embeds the rules has no parser on board that nobody asked for: `RulesYAML` adds `RuleSyntax.yaml`.
public struct RuleSyntax: Sendable {
  /// The endings of files that are written so, in small letters.
  public let endings: [String]
  package let read: @Sendable (any ByteSource) throws -> JSONValue.Located

  /// - Parameter read: throws `RuleCompileError`, `JSONReadError` or `ByteStreamError`.
  package init(endings: [String], read: @escaping @Sendable (any ByteSource) throws -> JSONValue.Located) {
    self.endings = endings
    self.read = read
  }

  /// RFC 8259.
  public static let json = RuleSyntax(endings: ["json"]) { try JSONValue.readRules($0) }
}

extension RuleDocument.Options {
  /// The syntax that a file's ending tells, before `.lz4` if it is compressed; JSON for any that is not known.
  public func syntax(of path: FilePath) -> RuleSyntax {
    var ending = path.extension?.lowercased() ?? ""
    if ending == "lz4", let stem = path.stem { ending = FilePath(stem).extension?.lowercased() ?? "" }
    return syntaxes.first { $0.endings.contains(ending) } ?? .json
  }
}
