/// "Did you mean": the known word that a wrong one was most likely meant to be.
package enum Suggestion {
  /// The maximum number of known words considered.
  package static let limit = 256

  /// Returns a clause to append to a message; empty if no word is near.
  package static func text(for word: String, among known: [String]) -> String {
    nearest(to: word, among: known).map { "; did you mean '\($0)'?" } ?? ""
  }

  /// Returns the word with the smallest edit distance (insert, delete, replace, swap; letter case is ignored), if that is at most
  /// a third of the word's length. Considers at most ``limit`` words of up to 64 characters.
  package static func nearest(to word: String, among known: [String]) -> String? {
    guard word.utf8.count <= 256 else { return nil }
    let folded = Array(word.lowercased().unicodeScalars.prefix(65))
    guard folded.count <= 64, !folded.isEmpty else { return nil }
    var best: (word: String, distance: Int)?
    for candidate in known.prefix(limit) {
      guard candidate.utf8.count <= 256 else { continue }
      let scalars = Array(candidate.lowercased().unicodeScalars.prefix(65))
      guard scalars.count <= 64 else { continue }
      // A value with the same letters but other punctuation is also near ("home7kW" for "Home (7kW)").
      let letters = scalars.filter { $0.properties.isAlphabetic || $0.properties.numericType != nil }
      let wordLetters = folded.filter { $0.properties.isAlphabetic || $0.properties.numericType != nil }
      let distance = !letters.isEmpty && letters == wordLetters ? 0 : distance(folded, scalars)
      guard distance <= max(1, max(folded.count, scalars.count) / 3), scalars.count > 1 || distance == 0 else { continue }
      if best == nil || distance < best?.distance ?? 0 { best = (candidate, distance) }
    }
    return best?.word
  }

  /// Returns the optimal string alignment distance, by rows: Levenshtein's distance, where a swap of neighbours counts once.
  private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var before: [Int] = []
    var row = Array(0...b.count)
    for (i, left) in a.enumerated() {
      var next = [i + 1]
      for (j, right) in b.enumerated() {
        var best = min(row[j] + (left == right ? 0 : 1), row[j + 1] + 1, next[j] + 1)
        if i > 0, j > 0, left == b[j - 1], a[i - 1] == right { best = min(best, before[j - 1] + 1) }
        next.append(best)
      }
      before = row
      row = next
    }
    return row[b.count]
  }
}
