import ByteStreams
import Coffer
import Foundation
import TestSupport
import Testing
import ZIPArchives

@Suite struct ManyPhotosTests {
  /// The most entries that the format's readers accept.
  @Test func `each of ten thousand entries is checked`() throws {
    var manifest: [String] = []
    var photos: [String] = []
    var writer = ZIPWriter(to: MemorySink())
    let count = 9_999
    for index in 0..<count {
      photos.append(
        #"{"id":\#(index),"path":"/p/\#(index).jpg","categoryId":1,"name":"","createdAt":1759320060000,"isFromAssets":false,"fileSize":0,"width":0,"height":0}"#
      )
      let size = index == 5000 ? 99 : 4
      manifest.append(
        #"{"photoId":\#(index),"originalPath":"/p/\#(index).jpg","zipEntryName":"photos/\#(index).jpg","fileName":"\#(index).jpg","fileSize":\#(size),"checksum":"098f6bcd4621d373cade4e832627b4f6"}"#
      )
    }
    let text = SampleBackup.metadata
    let head = text[..<(text.range(of: "\"photos\": [")?.upperBound ?? text.startIndex)]
    let tail =
      #"],"settings":{"isDarkMode":false,"securitySettings":{"hasPIN":false,"hasPattern":false,"kidSafeModeEnabled":true,"deleteProtectionEnabled":false}},"photoManifest":["#
    let document = head + photos.joined(separator: ",\n") + tail + manifest.joined(separator: ",\n") + "]}"
    for index in 0..<count {
      let bytes = Array((index == 7000 ? "tesT" : "test").utf8)
      try writer.addStored("photos/\(index).jpg", size: 4, checksum: CRC32(of: bytes), from: MemorySource(bytes))
    }
    try writer.addCompressed("metadata.json", from: MemorySource(document.utf8), size: nil)
    try writer.finish()
    let report = try SampleBackup.report(writer.sink.bytes)
    #expect(
      SampleBackup.lines(of: report) == [
        "size warning /photoManifest/5000/fileSize", "checksum error /photoManifest/7000/checksum",
      ])
  }
}
