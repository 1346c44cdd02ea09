/// A source that verifies checksums, each of which follows its bytes.
///
/// So it may return damaged bytes before it detects the damage, and a reader may report them as malformed JSON.
package protocol ChecksummedSource: ByteSource {
  /// Reads on to the next checksum, but at most `limit` bytes. Returns the error if it doesn't match; otherwise `nil`, even if there
  /// is none that close.
  mutating func damage(within limit: Int) -> CofferError?
}
