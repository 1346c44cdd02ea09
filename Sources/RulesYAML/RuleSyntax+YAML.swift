import ByteStreams
public import Rules

extension RuleSyntax {
  /// The part of YAML 1.2 that is equivalent to JSON: one document, read by the core schema, with scalar keys.
  ///
  /// | in YAML | meaning |
  /// | --- | --- |
  /// | `null`, `~`, nothing; `true`, `false` | null and booleans; `yes`, `no`, `on`, `off` are strings |
  /// | a number in JSON's syntax | that number, with its source text |
  /// | another YAML number: `0x1F`, `+1`, `007`, `.5`, `.inf` | rejected: in quotes, it is a string |
  /// | quoted text, a block of text, `!!str` | a string |
  /// | a key | a string with its source text: `1:` is the key `1` |
  /// | `&name`, `*name` | the value again; not inside itself, and in total no larger than a document may be |
  /// | a duplicate key, `<<`, another tag, a second document | rejected |
  ///
  /// Costs time and memory in proportion to the text, which is read completely first; the limits are those of rules in JSON.
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
