@testable import JSONEvents

/// The scans of ranges and documents as straightforward loops over bytes.
enum PlainRange {
  static func hasByteOrderMark(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0xEF, 0xBB, 0xBF]) }

  /// Returns the first place from `offset` on at which a range may begin.
  static func boundary(in bytes: [UInt8], atOrAfter offset: Int) -> Int {
    var boundary = min(offset, bytes.count)
    while boundary > 0, boundary < bytes.count,
      bytes[boundary - 1] == UInt8(ascii: "\\") || boundary < 3 && hasByteOrderMark(bytes)
    {
      boundary += 1
    }
    return boundary
  }

  /// Steps over one byte of a line.
  static func step(_ byte: UInt8, _ extent: inout TextExtent) {
    extent.byteCount += 1
    if byte == UInt8(ascii: "\n") {
      extent.newlineCount += 1
      extent.scalarCount = 0
    } else if byte & 0xC0 != 0x80 {
      extent.scalarCount += 1
    }
  }

  /// A byte's role in a string or outside.
  enum Role { case text, opener, closer, comma, impossible }

  struct Strings {
    var isInside: Bool
    private var isEscaped = false

    init(isInside: Bool) { self.isInside = isInside }

    mutating func role(of byte: UInt8) -> Role {
      defer { isEscaped = byte == UInt8(ascii: "\\") && !isEscaped }
      if byte == UInt8(ascii: "\""), !isEscaped {
        isInside.toggle()
        return .text
      }
      if isInside { return byte < 0x20 ? .impossible : .text }
      switch Character(UnicodeScalar(byte)) {
      case "[", "{": return .opener
      case "]", "}": return .closer
      case ",": return .comma
      default: return " \t\r\n:\"-+.eE0123456789truefalsn".utf8.contains(byte) ? .text : .impossible
      }
    }
  }

  static func summary(of bytes: [UInt8], from offset: Int) -> RangeSummary {
    let skipped = offset == 0 && hasByteOrderMark(bytes) ? 3 : 0
    var summary = RangeSummary()
    summary.extent.byteCount = skipped
    for byte in bytes.dropFirst(skipped) { step(byte, &summary.extent) }
    summary.outside = structure(of: bytes.dropFirst(skipped), at: skipped, inString: false)
    summary.inside = structure(of: bytes.dropFirst(skipped), at: skipped, inString: true)
    return summary
  }

  private static func structure(of bytes: ArraySlice<UInt8>, at offset: Int, inString: Bool) -> RangeStructure? {
    var strings = Strings(isInside: inString)
    var here = TextExtent(byteCount: offset)
    var floors = [RangeStructure.Floor()]
    var levels: [RangeStructure.Level] = []
    for byte in bytes {
      let place = here
      step(byte, &here)
      switch strings.role(of: byte) {
      case .text: break
      case .impossible: return nil
      case .opener: levels.append(RangeStructure.Level(isArray: byte == UInt8(ascii: "["), inside: here))
      case .closer:
        if levels.popLast() == nil { floors.append(RangeStructure.Floor(closer: place)) }
      case .comma:
        if levels.isEmpty {
          count(&floors[floors.count - 1].commas, here)
        } else {
          count(&levels[levels.count - 1].commas, here)
        }
      }
    }
    var structure = RangeStructure(endsInString: strings.isInside)
    structure.closerCount = floors.count - 1
    structure.floors = floors.suffix(4)
    structure.openerCount = levels.count
    structure.levels = Array(levels.prefix(4))
    return structure
  }

  private static func count(_ commas: inout RangeStructure.Commas, _ place: TextExtent) {
    if commas.count == 0 { commas.first = place }
    commas.last = place
    commas.count += 1
  }

  /// Returns the places of ranges that begin at 0 and the given boundaries.
  static func places(of bytes: [UInt8], cutAt cuts: [Int]) -> [RangePlaces] {
    var scan = PlainDocument()
    let ends = cuts + [bytes.count]
    var from = 0
    return ends.map { end in
      defer { from = end }
      return scan.places(of: bytes, in: from..<end)
    }
  }
}

/// The state of a plain scan of a document.
private struct PlainDocument {
  private struct Container {
    var number: Int
    var open: RangePlaces.Container
  }

  private var strings = PlainRange.Strings(isInside: false)
  private var here = TextExtent()
  private var stack: [Container] = []
  private var number = 0
  private var isSuspect = false

  mutating func places(of bytes: [UInt8], in range: Range<Int>) -> RangePlaces {
    var places = RangePlaces(start: here.position, end: here.position, isSuspect: false, enclosing: [], open: [])
    let numbers = stack.prefix(3).map(\.number)
    places.enclosing = stack.prefix(3).map { RangePlaces.Enclosing(isArray: $0.open.isArray) }
    for index in range {
      if index < 3, PlainRange.hasByteOrderMark(bytes) {
        here.byteCount += 1
        continue
      }
      let place = here.position
      PlainRange.step(bytes[index], &here)
      if isSuspect { continue }
      switch strings.role(of: bytes[index]) {
      case .text: break
      case .impossible: isSuspect = true
      case .opener:
        let inside = RangePlaces.Mark(position: here.position, index: 0)
        let open = RangePlaces.Container(
          isArray: bytes[index] == UInt8(ascii: "["), inside: inside.position, latest: inside)
        stack.append(Container(number: number, open: open))
        number += 1
      case .closer:
        guard let closed = stack.popLast() else {
          isSuspect = true
          continue
        }
        if let place = numbers.firstIndex(of: closed.number).map({ ($0, place) }) {
          places.enclosing[place.0].end = RangePlaces.Mark(position: place.1, index: closed.open.latest.index)
        }
      case .comma:
        guard let last = stack.indices.last else { continue }
        let cut = RangePlaces.Mark(position: here.position, index: stack[last].open.latest.index + 1)
        stack[last].open.latest = cut
        guard let index = numbers.firstIndex(of: stack[last].number) else { continue }
        places.enclosing[index].firstCut = places.enclosing[index].firstCut ?? cut
        places.enclosing[index].lastCut = cut
      }
    }
    places.end = here.position
    places.isSuspect = isSuspect
    places.open = stack.prefix(3).map(\.open)
    if isSuspect { (places.enclosing, places.open) = ([], []) }
    return places
  }
}
