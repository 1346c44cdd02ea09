/// Random documents: JSON of every shape that matters to slicing, valid or damaged.
package struct RandomDocument {
  private var random: SeededRandom
  package private(set) var bytes: [UInt8] = []
  private let isPretty: Bool
  /// The names for members: few, so that rules about them apply often.
  private let names: [String]
  private let lineEnd: String

  /// - Parameter size: The approximate size in bytes.
  package init(seed: UInt64, size: Int, names: [String] = ["id", "name", "a", "tags", "items", "ref", "é"]) {
    random = SeededRandom(seed: seed)
    self.names = names
    isPretty = random.next() % 2 == 0
    lineEnd = random.next() % 8 == 0 ? "\r\n" : "\n"
    if random.next() % 16 == 0 { bytes = [0xEF, 0xBB, 0xBF] }
    space()
    switch random.next() % 6 {
    case 0: collection(of: size, depth: 1)
    case 1:
      list(open: "{", close: "}", count: 2) { this, _ in
        this.key()
        this.collection(of: size / 2, depth: 2)
      }
    default:
      list(open: "{", close: "}", count: 1 + below(5)) { this, _ in
        this.key()
        switch this.below(4) {
        case 0: this.value(depth: 1)
        case 1:
          this.list(open: "{", close: "}", count: this.below(4)) { this, _ in
            this.key()
            this.collection(of: size / 6, depth: 3)
          }
        default: this.collection(of: size / 3, depth: 2)
        }
      }
    }
    space()
  }

  package mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

  /// Damages the document at random, usually at the brackets, commas and quotes that slicing depends on.
  package mutating func damage() {
    guard !bytes.isEmpty else { return }
    let structure = Array(",[]{}\"\\:".utf8)
    let places = bytes.indices.filter { structure.contains(bytes[$0]) }
    for _ in 0...below(2) {
      let place = places.isEmpty || below(4) == 0 ? below(bytes.count) : min(places[below(places.count)], bytes.count - 1)
      switch below(7) {
      case 0: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(3)))
      case 1: bytes.insert(structure[below(structure.count)], at: place)
      case 2:
        bytes.insert(
          contentsOf: ["\\u12", "\\x", "\u{0B}", "\u{01}", ",,", "[]]", "}{", "nul", "\\ud800"][below(9)].utf8, at: place)
      case 3: bytes[place] = structure[below(structure.count)]
      case 4: bytes.insert([0x80, 0xC0, 0xFF, 0xED, 0xF4][below(5)], at: place)
      case 5: bytes.removeLast(bytes.count - place)
      default: bytes[place] = UInt8(below(256))
      }
      if bytes.isEmpty { return }
    }
  }

  // MARK: Grammar

  private mutating func add(_ text: String) { bytes += text.utf8 }

  private mutating func space() {
    if isPretty, below(3) == 0 { add([" ", "  ", lineEnd, "\t", lineEnd + "    "][below(5)]) }
  }

  private mutating func list(open: String, close: String, count: Int, _ element: (inout RandomDocument, Int) -> Void) {
    add(open)
    space()
    for index in 0..<count {
      if index > 0 {
        add(",")
        space()
      }
      element(&self, index)
      space()
    }
    add(close)
  }

  private mutating func key() {
    add("\"\(names[below(names.count)])\"")
    space()
    add(":")
    space()
  }

  /// An array, or an object of records: nearly all of its names are different.
  private mutating func collection(of size: Int, depth: Int) {
    if below(4) > 0 { return array(of: size, depth: depth) }
    let end = bytes.count + size
    add("{")
    space()
    var count = 0
    while bytes.count < end {
      if count > 0 {
        add(",")
        space()
      }
      let number = below(60) == 0 ? below(count + 1) : count
      add(below(12) == 0 ? "\"\\u006b\(number)\"" : "\"k\(number)\"")
      space()
      add(":")
      space()
      if below(10) == 0 { scalar() } else { record(depth: depth) }
      space()
      count += 1
    }
    add("}")
  }

  private mutating func array(of size: Int, depth: Int) {
    let end = bytes.count + size
    let isOfScalars = below(4) == 0
    add("[")
    space()
    var isFirst = true
    while bytes.count < end {
      if !isFirst {
        add(",")
        space()
      }
      isFirst = false
      if isOfScalars { scalar() } else { record(depth: depth) }
      space()
    }
    add("]")
  }

  private mutating func record(depth: Int) {
    if below(10) == 0 { return value(depth: depth) }
    list(open: "{", close: "}", count: below(6)) { this, _ in
      this.key()
      this.value(depth: depth + 1)
    }
  }

  private mutating func value(depth: Int) {
    switch depth > 5 ? 9 : below(10) {
    case 0: list(open: "[", close: "]", count: below(4)) { this, _ in this.value(depth: depth + 1) }
    case 1:
      list(open: "{", close: "}", count: below(4)) { this, _ in
        this.key()
        this.value(depth: depth + 1)
      }
    default: scalar()
    }
  }

  private mutating func scalar() {
    switch below(8) {
    case 0: add(["true", "false", "null"][below(3)])
    case 1: add(["-0", "1e3", "2.50", "-17", "123456789012345678901"][below(5)])
    case 2, 3: add("\(below(40))")
    default:
      add("\"")
      for _ in 0..<below(below(12) == 0 ? 40 : 4) {
        add(
          ["a", "word ", "é", "€", "🔋", "\\n", "\\\"", "\\\\", "\\u00e9", "\\ud83d\\udd0b", ",", "]", "}", "[{", ": "][below(15)])
      }
      add("\"")
    }
  }
}
