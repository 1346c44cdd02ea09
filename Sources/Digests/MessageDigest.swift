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
  struct DigestFunction: ~Copyable {
    private let context: OpaquePointer

    init(_ algorithm: DigestAlgorithm) {
      guard let context = EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
      self.context = context
      precondition(EVP_DigestInit_ex(context, LibCrypto.method(of: algorithm), nil) == 1, "libcrypto can't begin a digest")
    }

    deinit { EVP_MD_CTX_free(context) }

    func update(_ bytes: UnsafeRawBufferPointer) {
      precondition(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1, "libcrypto can't extend a digest")
    }

    func finish() -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
        var size: UInt32 = 0
        precondition(EVP_DigestFinal_ex(context, buffer.baseAddress, &size) == 1, "libcrypto can't finish a digest")
        count = Int(size)
      }
    }
  }

  /// libcrypto's default provider, regardless of the system's configuration: a FIPS configuration would lack MD5, which backups
  /// use as a checksum, not for security.
  private enum LibCrypto {
    // Initialised once and only read afterwards; OpenSSL allows threads to share fetched methods.
    nonisolated(unsafe) private static let provider: OpaquePointer? = {
      let library = OSSL_LIB_CTX_new()
      return OSSL_PROVIDER_load(library, "default") == nil ? nil : library
    }()
    nonisolated(unsafe) private static let md5 = EVP_MD_fetch(provider, "MD5", nil)
    nonisolated(unsafe) private static let sha256 = EVP_MD_fetch(provider, "SHA256", nil)

    static func method(of algorithm: DigestAlgorithm) -> OpaquePointer? {
      switch algorithm {
      case .md5: md5
      case .sha256: sha256
      }
    }
  }
#endif
