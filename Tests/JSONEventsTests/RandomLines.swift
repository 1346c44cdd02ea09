import TestSupport

/// Random JSON Lines: values of every kind, blank lines, both line breaks, a byte order mark, and a last line with or without a
/// line break.
struct RandomLines {
  private(set) var bytes: [UInt8] = []

  init(seed: UInt64, lineCount: Int) {
    var random = SeededRandom(seed: seed)
    if random.next() % 8 == 0 { bytes = [0xEF, 0xBB, 0xBF] }
    let lineBreak = random.next() % 4 == 0 ? "\r\n" : "\n"
    for _ in 0..<lineCount {
      if random.next() % 8 == 0 { bytes += ["", " ", "\t "][Int(random.next() % 3)].utf8 + Array(lineBreak.utf8) }
      switch random.next() % 4 {
      case 0:
        bytes += ["1", "-2.5e3", "\"a\"", "null", "true", "{}", "[]", "\"\\u00e9\"", " [1, 2]\t"][Int(random.next() % 9)].utf8
      default:
        let document = RandomDocument(seed: random.next(), size: Int(random.next() % 200)).bytes
        bytes += document.filter { ![0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
      }
      bytes += lineBreak.utf8
    }
    if random.next() % 2 == 0 { bytes.removeLast(lineBreak.utf8.count) }
  }
}
