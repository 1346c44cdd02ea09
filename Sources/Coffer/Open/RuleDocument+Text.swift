package import ByteStreams
import CompressedStreams
package import Rules

extension RuleDocument {
  /// Returns the text of a rule document, which may be compressed. It ends one byte after `sizeLimit`, so that the reader of the
  /// rules refuses a larger one.
  package static func text(of source: some ByteSource) throws(CofferError) -> [UInt8] {
    var document = try Decompression(source).source
    return try document.readPrefix(sizeLimit + 1)
  }
}
