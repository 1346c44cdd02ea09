/// A pattern of files' paths below a folder, such as `exports/*.json`.
///
/// | in a pattern | matches |
/// | --- | --- |
/// | `*` | any characters, but no `/` |
/// | `?` | one character other than `/` |
/// | `**` between slashes | any number of folders |
/// | a pattern without a slash | a name in any folder |
///
/// Cost: a match takes steps in proportion to the lengths of pattern and path, multiplied, even for many stars.
struct PathPattern {
  private let segments: [[Unicode.Scalar]]

  private static let anyFolders: [Unicode.Scalar] = ["*", "*"]

  /// - Throws: `InvalidPattern`, if the pattern matches no path, or has characters that other programs give a meaning.
  init(_ text: String) throws(InvalidPattern) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Array($0.unicodeScalars) }
    if text.isEmpty { throw InvalidPattern(message: "a pattern can't be empty") }
    if text.hasPrefix("/") || parts.contains(where: { [["."], [".", "."]].contains($0) }) {
      throw InvalidPattern(message: "a pattern is about the files in the folder of \(ProjectFile.name) and below it")
    }
    if text.hasSuffix("/") { throw InvalidPattern(message: "a pattern is about files: \(text)** is about those in this folder") }
    if parts.contains([]) { throw InvalidPattern(message: "a pattern has two slashes in a row") }
    if text.hasPrefix("!") || text.contains(where: { "[]{}\\".contains($0) }) {
      throw InvalidPattern(
        message: "only *, ** and ? have a meaning in a pattern: ! at its start, [, ], {, } and \\ are not allowed")
    }
    segments = (parts.count == 1 ? [Self.anyFolders] : []) + parts
  }

  /// - Parameter path: the names of a file's folders, from the outermost one, and its own name.
  func matches(_ path: [String]) -> Bool {
    Self.matches(segments, path.map { Array($0.unicodeScalars) }, isStar: { $0 == Self.anyFolders }) { pattern, name in
      Self.matches(pattern, name, isStar: { $0 == "*" }) { $0 == "?" || $0 == $1 }
    }
  }

  /// Returns true if a pattern matches a text. Both are lists of elements; a star matches any number of elements.
  private static func matches<Element>(
    _ pattern: [Element], _ text: [Element], isStar: (Element) -> Bool, _ isSame: (Element, Element) -> Bool
  ) -> Bool {
    var (next, index) = (0, 0)
    // After a mismatch, only the last star takes one element more: earlier ones have nothing to gain.
    var star: (next: Int, index: Int)?
    while index < text.count {
      if next < pattern.count, isStar(pattern[next]) {
        next += 1
        star = (next, index)
      } else if next < pattern.count, isSame(pattern[next], text[index]) {
        (next, index) = (next + 1, index + 1)
      } else if let last = star {
        star = (last.next, last.index + 1)
        (next, index) = (last.next, last.index + 1)
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy(isStar)
  }
}

/// Why a text is no pattern.
struct InvalidPattern: Error {
  let message: String
}
