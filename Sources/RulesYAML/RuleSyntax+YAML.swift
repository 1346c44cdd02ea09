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
  public static let yaml = RuleSyntax(endings: ["yaml", "yml"]) { source throws(CofferError) in
    var reader = YAMLReader(try bytes(of: source))
    return try reader.read()
  }

  private static func bytes(of source: some ByteSource) throws(CofferError) -> [UInt8] {
    var source = source
    var bytes: [UInt8] = []
    while true {
      let piece = try source.readPrefix(64 << 10)
      if piece.isEmpty { return bytes }
      bytes += piece
      if bytes.count > JSONValue.sizeLimit { throw CofferError.rulesTooLarge }
    }
  }
}
