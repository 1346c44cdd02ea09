/// What other dialects of regular expressions have and ECMA-262 hasn't, and how to say it there.
enum ForeignSyntax {
  static let verb = "(*…) is no syntax of ECMA-262"
  static let possessive = "possessive repetitions such as a++ are no syntax of ECMA-262"
  static let octal = "octal escapes are no syntax of ECMA-262; write \\x01 for the character 1"

  /// What a backslash before `scalar` meant elsewhere.
  static func escape(_ scalar: Unicode.Scalar, inClass: Bool) -> String {
    let refusal = "\\\(scalar.escaped(asASCII: false)) is no escape of ECMA-262\(inClass ? " in a class" : "")"
    guard let advice = advice[scalar] else { return refusal }
    return "\(refusal); \(advice)"
  }

  private static let advice: [Unicode.Scalar: String] = [
    "A": "use ^ for the start", "Z": "use $ for the end", "z": "use $ for the end", "a": "use \\x07 for the bell",
    "e": "use \\x1b for the escape character", "h": "use [\\t ] for blanks", "H": "use [^\\t ] for all but blanks",
    "R": "use (?:\\r\\n|\\n) for the end of a line", "N": "use . for all but line ends",
    "Q": "write a backslash before each character",
    "E": "write a backslash before each character", "o": "use \\x01 for the character 1", "g": "use \\1 or \\k<name>",
    "X": "use (?:\\P{M}\\p{M}*) for a letter with its marks", "G": "use ^ for the start", "K": "use a lookbehind, (?<=…)",
    "V": "use [^\\n\\v\\f\\r] for all but line ends", "B": "outside of one it is a place that is no word's boundary",
    "k": "outside of one it refers to a group", "1": "use \\x01 for the character 1", "<": "use \\b for a word's boundary",
    ">": "use \\b for a word's boundary", "-": "write - without the backslash", "_": "write _ without the backslash",
  ]

  /// What stands behind `(?`.
  static func group(_ scanner: PatternScanner) -> String {
    for (text, message) in groups where scanner.isNext(text) { return message }
    if let next = scanner.next, next.isDigit { return "recursion, (?1), is no syntax of ECMA-262" }
    if let next = scanner.next, next.isLetterOfASCII || next == "-" || next == "^" {
      return "(?\(next)…) sets flags for the rest, which is no syntax of ECMA-262; use (?i:…) for a part, or classes such as [Aa]"
    }
    return "(? opens no group of ECMA-262; write \\( for the character"
  }

  private static let groups = [
    ("P<", "(?P<name>…) is no group of ECMA-262; use (?<name>…)"), ("P=", "(?P=name) is no reference of ECMA-262; use \\k<name>"),
    ("P>", "recursion, (?P>name), is no syntax of ECMA-262"), ("#", "comments, (?#…), are no syntax of ECMA-262"),
    (">", "atomic groups, (?>…), are no syntax of ECMA-262"), ("|", "(?|…) is no group of ECMA-262; use (?:…|…)"),
    ("(", "conditions, (?(…)…), are no syntax of ECMA-262"), ("R", "recursion, (?R), is no syntax of ECMA-262"),
    ("&", "recursion, (?&name), is no syntax of ECMA-262"), ("'", "(?'name'…) is no group of ECMA-262; use (?<name>…)"),
  ]
}
