import ByteStreams
public import Rules

extension RuleSyntax {
  /// YAML 1.2, as much of it as stands for JSON: one document, read by the core schema, its keys scalars.
  ///
  /// | in YAML | means |
  /// | --- | --- |
  /// | `null`, `~`, nothing; `true`, `false` | what they say; `yes`, `no`, `on`, `off` are strings |
  /// | a number as JSON writes it | that number, by its own text |
  /// | another number of YAML: `0x1F`, `+1`, `007`, `.5`, `.inf` | refused: quoted, it is a string |
  /// | what is quoted, a block of text, `!!str` | a string |
  /// | a key | a string by its own text: `1:` is the key `1` |
  /// | `&name`, `*name` | the value again; no value in itself, and at most as much as a document may have |
  /// | an equal key, `<<`, another tag, a second document | refused |
  ///
  /// Costs time and memory in proportion to the text, all of which is read first; the limits are those of rules in JSON.
  /// - Throws: `RuleCompileError` with the place, `ByteStreamError`.
  public static let yaml = RuleSyntax(endings: ["yaml", "yml"]) { source in
    var reader = YAMLReader(try bytes(of: source))
    return try reader.read()
  }

  private static func bytes(of source: some ByteSource) throws -> [UInt8] {
    var source = source
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = try chunk.withUnsafeMutableBytes { try source.read(into: $0) }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
      if bytes.count > JSONValue.sizeLimit { throw RuleCompileError.tooLarge }
    }
  }
}
