import Digests
import Findings
import Rules

/// Computes names of findings that stay the same when lines and records move.
///
/// A name is a digest of the file and the finding's identity. Findings that agree in both are numbered in document order.
///
/// Memory: about 32 bytes for each name, so it is meant for reports with a limit.
struct FingerprintMaker {
  private let isRedacted: Bool
  private var file = ""
  private var occurrences: [UInt64: Int] = [:]

  init(isRedacted: Bool) { self.isRedacted = isRedacted }

  /// The following findings are about this file.
  mutating func beginFile(_ path: String) { file = path }

  /// Returns 16 hexadecimal digits, and the number of the finding among those with the same digits, from 1.
  mutating func fingerprint(of finding: Finding) -> (digest: String, occurrence: Int) {
    let identity = [file, finding.place.entry ?? "", finding.code] + place(of: finding.identity)
    // Lengths keep the parts apart, whatever they contain.
    let bytes = Array(identity.map { "\($0.utf8.count):\($0)" }.joined().utf8)
    let digest = String(MessageDigest.text(of: bytes, by: .sha256).prefix(16))
    let number = UInt64(digest, radix: 16) ?? 0
    let occurrence = occurrences[number, default: 0] + 1
    occurrences[number] = occurrence
    return (digest, occurrence)
  }

  private func place(of identity: FindingIdentity) -> [String] {
    guard let collection = identity.collection else { return [identity.pointer] }
    return [collection, isRedacted ? "" : identity.key ?? "", identity.pointer]
  }
}
