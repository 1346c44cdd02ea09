/// How the values of a document are written down.
///
/// A JSON Lines document is the array of its values, written otherwise: to all who read it, `/12/id` is the member `id` of its 13th value.
public enum JSONSyntax: Sendable, Hashable, CaseIterable {
  /// One JSON value (RFC 8259).
  case json
  /// A JSON value a line, as `.jsonl` and `.ndjson` files have them. Blank lines between them don't count, and the last line need not be ended.
  case jsonLines

  /// The syntax that a file's name shows: JSON Lines for `.jsonl` and `.ndjson`, also where the ending of a compressed file follows.
  ///
  /// - Parameter compressions: endings that say nothing of what is inside.
  public init(ofFileNamed name: String, compressions: [String] = ["lz4"]) {
    var endings = name.lowercased().split(separator: ".", omittingEmptySubsequences: false).dropFirst()[...]
    if let last = endings.last, compressions.contains(String(last)) { endings.removeLast() }
    self = endings.last == "jsonl" || endings.last == "ndjson" ? .jsonLines : .json
  }
}
