public import ByteStreams
import GzipStreams
import LZ4Streams
import ZstdStreams

/// Compressed data, decoded as it is read.
package protocol CompressedSource: ByteSource {
  /// The number of compressed bytes decoded so far.
  var bytesRead: Int { get }
}

extension LZ4Source: CompressedSource {}
extension GzipSource: CompressedSource {}
extension ZstdSource: CompressedSource {}

extension CofferError.Code {
  /// The input is not compressed in a format that Coffer reads.
  public static let notCompressed = Self(rawValue: "not-compressed")
}
