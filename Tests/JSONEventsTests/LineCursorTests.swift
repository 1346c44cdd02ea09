import ByteStreams
import TestSupport
import Testing

@testable import JSONEvents

@Suite struct LineCursorTests {
  private static let text = "ab\né€\n\n🔋c\r\nd"

  /// The place of every scalar of the text, and of its end.
  private static let places: [TextPosition] = {
    var place = TextPosition(offset: 0, line: 1, column: 1)
    var places = [place]
    for scalar in text.unicodeScalars {
      place.offset += UTF8.width(scalar)
      place.column += 1
      if scalar == "\n" { (place.line, place.column) = (place.line + 1, 1) }
      places.append(place)
    }
    return places
  }()

  private func withCursor(_ body: (inout LineCursor, _ bytes: UnsafePointer<UInt8>, _ count: Int) -> Void) throws {
    try Array(Self.text.utf8).withUnsafeBufferPointer { buffer in
      let bytes = try #require(buffer.baseAddress)
      var cursor = LineCursor(bytes: bytes)
      cursor.rebase(bytes: bytes, count: buffer.count)
      body(&cursor, bytes, buffer.count)
    }
  }

  @Test func `places are found in order`() throws {
    try withCursor { cursor, _, _ in
      for place in Self.places { #expect(cursor.position(at: place.offset) == place) }
    }
  }

  @Test func `places are found in reverse order`() throws {
    try withCursor { cursor, _, _ in
      for place in Self.places.reversed() { #expect(cursor.position(at: place.offset) == place) }
    }
  }

  /// Steps back and forth beyond the span of the cursor's anchors.
  @Test func `places are found in any order`() throws {
    let bytes = Array(String(repeating: Self.text, count: 3000).utf8)
    var places: [(line: Int, column: Int)] = []
    var (line, column) = (1, 0)
    for byte in bytes {
      if byte & 0xC0 != 0x80 { column += 1 }
      places.append((line, column))
      if byte == UInt8(ascii: "\n") { (line, column) = (line + 1, 0) }
    }
    try bytes.withUnsafeBufferPointer { buffer in
      let base = try #require(buffer.baseAddress)
      var cursor = LineCursor(bytes: base, count: buffer.count, at: TextPosition(offset: 0, line: 1, column: 1))
      var random = SeededRandom(seed: 1)
      var offset = 0
      for _ in 0..<5000 {
        let span = [20, 500, 5000, 40_000][Int(random.next() % 4)]
        offset = min(max(0, offset + Int(random.next() % UInt64(span)) - span / 2), bytes.count - 1)
        // Inside a character, the column is already that of the next one.
        if bytes[offset] & 0xC0 == 0x80 { continue }
        let place = cursor.position(at: offset)
        #expect(place.line == places[offset].line)
        #expect(place.column == places[offset].column)
      }
    }
  }

  @Test func `dropped bytes still count`() throws {
    for dropped in Self.places {
      try withCursor { cursor, bytes, count in
        _ = cursor.position(at: count)
        cursor.drop(dropped.offset)
        cursor.rebase(bytes: bytes + dropped.offset, count: count - dropped.offset)
        for place in Self.places where place.offset >= dropped.offset {
          #expect(cursor.position(at: place.offset) == place)
        }
      }
    }
  }

  @Test func `a byte order mark takes no column`() throws {
    try withCursor { cursor, _, _ in
      cursor.skipWithoutColumns(2)
      #expect(cursor.position(at: 2) == TextPosition(offset: 2, line: 1, column: 1))
      #expect(cursor.position(at: 3) == TextPosition(offset: 3, line: 2, column: 1))
    }
  }
}
