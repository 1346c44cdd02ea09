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

#if canImport(CryptoKit)
  import CryptoKit

  /// CryptoKit's hash functions.
  struct DigestFunction: ~Copyable {
    private var function: any HashFunction

    init(_ algorithm: DigestAlgorithm) {
      function =
        switch algorithm {
        case .md5: Insecure.MD5()
        case .sha256: SHA256()
        }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) { function.update(bufferPointer: bytes) }

    func finish() -> [UInt8] { Array(function.finalize()) }
  }
#else
  import CLibCrypto

  /// Uses the system's libcrypto (OpenSSL 3): compiling swift-crypto's BoringSSL took 150 of the 560 CPU seconds of a first
  /// build.
  ///
  /// These functions are the ones below EVP. EVP asks providers for algorithms, so that a system's configuration decides which there are: one
  /// for FIPS lacks MD5, which backups use as a checksum, not for security. It reads that configuration, which may name libraries to load, and
  /// a static program would contain all algorithms, 3 MB.
  struct DigestFunction: ~Copyable {
    private let algorithm: DigestAlgorithm
    private var md5 = MD5_CTX()
    private var sha256 = SHA256_CTX()

    init(_ algorithm: DigestAlgorithm) {
      self.algorithm = algorithm
      // All six functions return 1, whatever happens.
      switch algorithm {
      case .md5: MD5_Init(&md5)
      case .sha256: SHA256_Init(&sha256)
      }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
      switch algorithm {
      case .md5: MD5_Update(&md5, bytes.baseAddress, bytes.count)
      case .sha256: SHA256_Update(&sha256, bytes.baseAddress, bytes.count)
      }
    }

    mutating func finish() -> [UInt8] {
      let size = algorithm == .md5 ? MD5_DIGEST_LENGTH : SHA256_DIGEST_LENGTH
      var digest = [UInt8](repeating: 0, count: Int(size))
      switch algorithm {
      case .md5: MD5_Final(&digest, &md5)
      case .sha256: SHA256_Final(&digest, &sha256)
      }
      return digest
    }
  }
#endif
