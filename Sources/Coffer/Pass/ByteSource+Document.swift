import ByteStreams
import LZ4Streams

extension ByteSource {
  /// The document that these bytes hold: decoded, if they are LZ4 data.
  ///
  /// - Throws: `zipArchive` if they are a ZIP archive, which nobody can read here; `foreignCompression` if another program than LZ4 has compressed them.
  func document() throws(ByteStreamError) -> any ByteSource {
    var source = self
    let prefix = try source.readPrefix(6)
    if let compression = ForeignCompression.all.first(where: { prefix.starts(with: $0.signature) }) {
      throw ByteStreamError(code: .foreignCompression, message: compression.refusal, offset: 0)
    }
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

/// What documents are compressed by that Coffer doesn't read, told by the first bytes. No JSON begins so.
private struct ForeignCompression {
  let name: String
  let program: String
  let signature: [UInt8]

  static let all = [
    ForeignCompression(name: "gzip", program: "gunzip", signature: [0x1F, 0x8B]),
    ForeignCompression(name: "zstd", program: "unzstd", signature: [0x28, 0xB5, 0x2F, 0xFD]),
    ForeignCompression(name: "xz", program: "unxz", signature: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
    ForeignCompression(name: "bzip2", program: "bunzip2", signature: [0x42, 0x5A, 0x68]),
  ]

  var refusal: String {
    "this is \(name) data, and Coffer reads LZ4 alone: decompress it first (\(program) -c FILE | coffer … -)"
  }
}
