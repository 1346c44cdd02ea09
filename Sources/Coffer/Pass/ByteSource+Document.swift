import ByteStreams
import LZ4Streams

extension ByteSource {
  /// The document that these bytes hold: decoded, if they are LZ4 data.
  ///
  /// - Throws: `zipArchive` if they are a ZIP archive, which nobody can read here.
  func document() throws(ByteStreamError) -> any ByteSource {
    var source = self
    let prefix = try source.readPrefix(4)
    if ZIPSignature.begins(prefix) {
      throw ByteStreamError(code: .zipArchive, message: ZIPSignature.refusal(of: "this"), offset: 0)
    }
    return try LZ4Source.detecting(PrefixedSource(prefix: prefix, rest: source))
  }
}

/// ZIP archives, as far as those know them who read documents alone.
enum ZIPSignature {
  /// Whether bytes begin as an archive does that has entries. No JSON does.
  static func begins(_ prefix: [UInt8]) -> Bool {
    prefix.starts(with: [0x50, 0x4B, 0x03, 0x04]) || prefix.starts(with: [0x50, 0x4B, 0x05, 0x06])
  }

  /// - Parameter name: what the archive is called.
  static func refusal(of name: String) -> String {
    "\(name) is a ZIP archive: unpack it (coffer unpack), and name the document that it holds instead"
  }
}
