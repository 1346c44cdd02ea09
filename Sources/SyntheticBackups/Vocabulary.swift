import JSONEvents
import Rules

/// Strings for values without a hint: many scripts, characters that JSON escapes, and some beyond the Basic Multilingual Plane.
enum Vocabulary {
  static let titles = [
    "Morning walk", "Green tea", "Wasserflasche", "Evening \"run\"", "Замена колодок", "Қысқы күн", "Sabah kahvesi", "家用电动车",
    "السيارة الصغيرة", "ファミリー", "Ο Μπλε", "Half / half", "La Petite", "🚙 Road trip", "C:\\Garage\\2", "बिजली", "Holiday ❄️",
    "naïve estimate", "½ price", "Winter, part one",
  ]

  /// Stems of photo file names, without numbers and extensions.
  static let files = ["photo", "scan", "receipt"]

  /// Returns true if an archive entry may have this name, with any number appended: no part of the name leads out of the folder.
  static func isFileName(_ text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    let hasDrive = scalars.count > 1 && scalars[1] == ":" && scalars[0].properties.isAlphabetic
    return !hasDrive && scalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0 != "\\" }
      && scalars.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
        !part.isEmpty && part.count <= 60 && !part.allSatisfy { $0 == "." }
      }
  }

  /// Examples of formats other than times and decimals.
  private static let formatted = [
    "ann@example.com", "b.lee@example.org", "service@example.net", "example.com", "files.example.org", "192.0.2.17",
    "2001:db8::17",
    "https://example.com/roof-box?item=7", "https://example.org/ideas/12", "/items/0", "1/name", "P1DT12H", "PT36H", "P2W",
    "EUR", "USD", "GBP", "JPY", "KZT", "CHF", "#3A7BD5", "#FF8800", "#102030", "^[a-z]+$",
    "http://example.com/{id}", "3F1C0A52-7B0E-4C57-9A41-6D2E8F10B7C3",
  ]

  private static let words = ["a", "ok", "one", "two", "blue", "north", "x1", "2026", "pdf", "jpg", "A-7", "file_1.txt"]

  /// Returns strings that fit an alternative. It tries a few hundred, half of them generated from its patterns.
  static func candidates(for alternative: Conjunction, most: Int = 48) -> [String] {
    var texts = alternative.formats.contains { !$0.appliesToNumbers } ? formatted : titles
    if alternative.isAboutTexts {
      texts += words
      var random = RandomSource(state: 0x5EED)
      for pattern in alternative.patterns {
        let samples = Pattern.samples(of: pattern.source, count: max(40, most - 8), random: &random)
        texts = samples + samples.flatMap { [$0 + "x", $0 + "example.com/1"] } + texts
      }
      let (low, high) = (alternative.length.lowerBound, min(alternative.length.upperBound - 1, 64))
      if low <= 4096 {
        texts += texts.map { text in
          let cut = text.unicodeScalars.prefix(max(high, low))
          return String(String.UnicodeScalarView(cut)) + String(repeating: "a", count: max(0, low - cut.count))
        }
      }
    }
    var known: Set<String> = []
    return Array(texts.filter { alternative.accepts(.string($0)) && known.insert($0).inserted }.prefix(most))
  }
}
