/// What people note beside an expense, a maintenance or an idea.
enum Notes {
  static let all: [StaticString] = [
    "overnight", "on the way to work", "fast charge", "slow today", "station 3/4 out of order", "receipt in the glove box",
    "with discount card",
    "shared with a neighbour", "line one\nline two", "\"free\" until 10:00", "path: C:\\charging\\log.txt", "tab\tseparated",
    "ночная зарядка", "зарядка возле дома", "түнгі қуаттау", "gece tarifesi", "нічний тариф", "über Nacht, günstig",
    "Ladesäule 12 – Köln",
    "夜间充电", "高速道路のSA", "شحن ليلي", "रात में चार्ज", "φόρτιση", "café ☕️ while waiting", "🔋 80 % → 100 %", "👨‍👩‍👧 holiday trip",
    "naïve estimate: 12/07", "bell\u{7}", "escape \u{1B}[0m", "zero\u{200B}width", "½ price",
    "rain, 4 °C, heating on for the whole trip",
    "first half paid by card, second half by app / support ticket opened",
  ]

  /// Nearly every other note is empty; one in eight has a number.
  static func drawn(from random: inout RandomSource) -> Phrase {
    if random.chance(45) { return Phrase("") }
    let note = random.pick(all)
    return random.chance(23) ? Phrase(note, joint: " #", number: random.within(1...9999)) : Phrase(note)
  }
}
