package import ByteStreams
public import SystemPackage

/// A syntax of rule documents: JSON, or another one for the same values that a separate module reads.
///
/// Thus users of the rules link only the parsers that they need: `RulesYAML` adds `RuleSyntax.yaml`.
public struct RuleSyntax: Sendable {
  /// The file extensions of this syntax, in lowercase.
  public let endings: [String]
  package let read: @Sendable (any ByteSource) throws(CofferError) -> JSONValue.Located

  package init(endings: [String], read: @escaping @Sendable (any ByteSource) throws(CofferError) -> JSONValue.Located) {
    self.endings = endings
    self.read = read
  }

  /// RFC 8259.
  public static let json = RuleSyntax(endings: ["json"]) { source throws(CofferError) in try JSONValue.readRules(source) }
}

extension RuleDocument.Options {
  /// Returns the syntax for a file's extension, before that of a compressed file. Unknown extensions mean JSON.
  public func syntax(of path: FilePath) -> RuleSyntax {
    let name = CompressionFormat.plainName(of: path.lastComponent?.string ?? "")
    let ending = FilePath(name).extension?.lowercased() ?? ""
    return syntaxes.first { $0.endings.contains(ending) } ?? .json
  }
}
