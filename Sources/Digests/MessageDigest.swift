package import Rules

/// Computes a digest incrementally.
package struct MessageDigest: ~Copyable {
  private var function: DigestFunction

  package init(_ algorithm: DigestAlgorithm) { function = DigestFunction(algorithm) }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) { function.update(bytes) }

  /// Returns the digest of all bytes so far in lowercase hexadecimal digits.
  package consuming func finish() -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: function.finish().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Returns the digest of `bytes` in lowercase hexadecimal digits.
  package static func text(of bytes: [UInt8], by algorithm: DigestAlgorithm) -> String {
    var digest = MessageDigest(algorithm)
    bytes.withUnsafeBytes { digest.update($0) }
    return digest.finish()
  }
}
