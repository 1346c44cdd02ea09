import Digests
import Findings
import Rules

/// Computes names of findings that stay the same when lines and records move.
///
/// A name is a digest of the file, the code and the place: a record by its key, every other item of an array as `*`. Findings
/// that agree in all of that are numbered in document order. Lines, indices and messages don't matter.
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
    let identity = [file, finding.place.entry ?? "", finding.code] + place(of: finding)
    // Lengths keep the parts apart, whatever they contain.
    let bytes = Array(identity.map { "\($0.utf8.count):\($0)" }.joined().utf8)
    let digest = String(MessageDigest.text(of: bytes, by: .sha256).prefix(16))
    let number = UInt64(digest, radix: 16) ?? 0
    let occurrence = occurrences[number, default: 0] + 1
    occurrences[number] = occurrence
    return (digest, occurrence)
  }

  private func place(of finding: Finding) -> [String] {
    let pointer = finding.place.pointer
    guard let record = finding.record else { return [Self.general(pointer)] }
    let depth = record.collection.utf8.count { $0 == UInt8(ascii: "/") }
    let tokens = pointer.split(separator: "/", omittingEmptySubsequences: false)
    // The empty one before the first slash, the collection's, and the record's index.
    let inside = tokens.dropFirst(depth + 2).joined(separator: "/")
    return [record.collection, isRedacted ? "" : record.key ?? "", Self.general(inside)]
  }

  /// Returns the pointer with `*` for what may be an index.
  private static func general(_ pointer: String) -> String {
    pointer.split(separator: "/", omittingEmptySubsequences: false)
      .map { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? "*" : $0 }.joined(separator: "/")
  }
}
