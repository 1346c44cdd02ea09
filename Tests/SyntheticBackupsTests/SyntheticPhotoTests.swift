import Testing

@testable import SyntheticBackups

@Suite struct SyntheticPhotoTests {
  /// Each photo goes from SOI to EOI, and each segment has its stated length.
  @Test func `photos are complete JPEG files`() throws {
    for index in 0..<500 {
      let bytes = SyntheticPhoto.bytes(seed: 7, index: index)
      #expect(bytes.prefix(2) == [0xFF, 0xD8] && bytes.suffix(2) == [0xFF, 0xD9])
      var markers: [UInt8] = []
      var place = 2
      while markers.last != 0xDA {
        try #require(place + 4 <= bytes.count && bytes[place] == 0xFF)
        markers.append(bytes[place + 1])
        place += 2 + Int(bytes[place + 2]) << 8 + Int(bytes[place + 3])
      }
      #expect(markers == [0xE0, 0xFE, 0xDB, 0xC0, 0xC4, 0xC4, 0xDA])
      let data = bytes[place..<bytes.count - 2]
      #expect(!data.isEmpty)
      // No marker inside the data.
      #expect(!zip(data, data.dropFirst()).contains { $0 == 0xFF && $1 != 0 } && data.last != 0xFF)
    }
  }

  @Test func `photos differ by seed and number`() {
    let photos = (0..<1000).map { SyntheticPhoto.bytes(seed: 1, index: $0) }
    #expect(Set(photos).count == photos.count)
    #expect(SyntheticPhoto.bytes(seed: 2, index: 0) != photos[0])
    #expect(SyntheticPhoto.bytes(seed: 1, index: 0) == photos[0])
  }
}
