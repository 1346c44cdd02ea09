extension String {
  /// Returns the text in lines of at most so many characters, broken between words. A longer word gets a line of its own.
  package func wrapped(to width: Int) -> [String] {
    var lines = [""]
    for word in split(separator: " ", omittingEmptySubsequences: false) {
      let last = lines.count - 1
      if lines[last].isEmpty {
        lines[last] += word
      } else if lines[last].count + 1 + word.count <= width {
        lines[last] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
