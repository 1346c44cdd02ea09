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

  @Test func placesAreFoundInOrder() throws {
    try withCursor { cursor, _, _ in
      for place in Self.places { #expect(cursor.position(at: place.offset) == place) }
    }
  }

  @Test func placesAreFoundBackwardsToo() throws {
    try withCursor { cursor, _, _ in
      for place in Self.places.reversed() { #expect(cursor.position(at: place.offset) == place) }
    }
  }

  @Test func droppedBytesStillCount() throws {
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

  @Test func aMarkTakesNoColumn() throws {
    try withCursor { cursor, _, _ in
      cursor.skipWithoutColumns(2)
      #expect(cursor.position(at: 2) == TextPosition(offset: 2, line: 1, column: 1))
      #expect(cursor.position(at: 3) == TextPosition(offset: 3, line: 2, column: 1))
    }
  }
}
