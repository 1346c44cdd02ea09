/// Syntax of other regular expression dialects that ECMA-262 lacks, and its replacement.
enum ForeignSyntax {
  static let verb = "(*…) is not ECMA-262 syntax"
  static let possessive = "possessive repetitions such as a++ are not ECMA-262 syntax"
  static let octal = "octal escapes are not ECMA-262 syntax; write \\x01 for the character 1"

  /// Describes a foreign escape of `scalar`, with its replacement.
  static func escape(_ scalar: Unicode.Scalar, inClass: Bool) -> String {
    let refusal = "\\\(scalar.escaped(asASCII: false)) is not an ECMA-262 escape\(inClass ? " in a class" : "")"
    guard let advice = advice[scalar] else { return refusal }
    return "\(refusal); \(advice)"
  }

  private static let advice: [Unicode.Scalar: String] = [
    "A": "use ^ for the start", "Z": "use $ for the end", "z": "use $ for the end", "a": "use \\x07 for the bell",
    "e": "use \\x1b for the escape character", "h": "use [\\t ] for blanks", "H": "use [^\\t ] for anything but blanks",
    "R": "use (?:\\r\\n|\\n) for the end of a line", "N": "use . for anything but line ends",
    "Q": "write a backslash before each character",
    "E": "write a backslash before each character", "o": "use \\x01 for the character 1", "g": "use \\1 or \\k<name>",
    "X": "use (?:\\P{M}\\p{M}*) for a letter with its marks", "G": "use ^ for the start", "K": "use a lookbehind, (?<=…)",
    "V": "use [^\\n\\v\\f\\r] for anything but line ends", "B": "outside a class it matches where there is no word boundary",
    "k": "outside a class it refers to a group", "1": "use \\x01 for the character 1", "<": "use \\b for a word boundary",
    ">": "use \\b for a word boundary", "-": "write - without the backslash", "_": "write _ without the backslash",
  ]

  /// Describes the foreign syntax after `(?`.
  static func group(_ scanner: PatternScanner) -> String {
    for (text, message) in groups where scanner.isNext(text) { return message }
    if let next = scanner.next, next.isDigit { return "recursion, (?1), is not ECMA-262 syntax" }
    if let next = scanner.next, next.isLetterOfASCII || next == "-" || next == "^" {
      return "(?\(next)…) sets flags for the rest, which is not ECMA-262 syntax; use (?i:…) for a part, or classes such as [Aa]"
    }
    return "(? doesn't open an ECMA-262 group; write \\( for the character"
  }

  private static let groups = [
    ("P<", "(?P<name>…) is not an ECMA-262 group; use (?<name>…)"), ("P=", "(?P=name) is not ECMA-262 syntax; use \\k<name>"),
    ("P>", "recursion, (?P>name), is not ECMA-262 syntax"), ("#", "comments, (?#…), are not ECMA-262 syntax"),
    (">", "atomic groups, (?>…), are not ECMA-262 syntax"), ("|", "(?|…) is not an ECMA-262 group; use (?:…|…)"),
    ("(", "conditions, (?(…)…), are not ECMA-262 syntax"), ("R", "recursion, (?R), is not ECMA-262 syntax"),
    ("&", "recursion, (?&name), is not ECMA-262 syntax"), ("'", "(?'name'…) is not an ECMA-262 group; use (?<name>…)"),
  ]
}
