import Digests
import Rules
import Testing

@Suite struct MessageDigestTests {
  /// RFC 1321, section A.5, and FIPS 180-2, appendix B.
  @Test(arguments: [
    (DigestAlgorithm.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
    (.md5, "message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
  ])
  func `published digests are reproduced`(algorithm: DigestAlgorithm, text: String, digest: String) {
    #expect(MessageDigest.text(of: Array(text.utf8), by: algorithm) == digest)
  }

  @Test(arguments: DigestAlgorithm.allCases)
  func `pieces have the digest of the whole`(algorithm: DigestAlgorithm) {
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* $0) }
    var digest = MessageDigest(algorithm)
    for start in stride(from: 0, to: bytes.count, by: 977) {
      bytes[start..<min(start + 977, bytes.count)].withUnsafeBytes { digest.update($0) }
    }
    #expect(digest.finish() == MessageDigest.text(of: bytes, by: algorithm))
  }
}
