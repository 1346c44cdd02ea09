/// A source that verifies checksums which follow the bytes that they are for.
///
/// Damaged bytes may already have been returned, and look like a mistake of whoever wrote them.
package protocol ChecksummedSource: ByteSource {
  /// Reads on to the next checksum, but at most `limit` bytes. Returns the error if it doesn't match; otherwise `nil`, also if there
  /// is none that close.
  mutating func damage(within limit: Int) -> CofferError?
}
