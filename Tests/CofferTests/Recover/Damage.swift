import TestSupport

/// A random damage of a document.
struct Damage {
  enum Kind: CaseIterable {
    case truncate, zero, flip, delete, insert, splice, controlCharacter, invalidUTF8, quotationMark, structure, double,
      loneSurrogate
  }

  private(set) var bytes: [UInt8] = []
  /// The bytes of the original that were removed or replaced.
  private(set) var touched = 0..<0
  /// Where the damage is in `bytes`.
  private(set) var place = 0..<0
  /// True if it copied more than the inside of one collection: then what follows may belong to either.
  private(set) var hasCopiedStructure = false

  init(_ kind: Kind, of original: [UInt8], _ parts: DocumentParts, _ random: inout SeededRandom) {
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }
    let structure = original.indices.filter { ",[]{}\":".utf8.contains(original[$0]) }
    let start = below(2) == 0 || structure.isEmpty ? below(original.count) : structure[below(structure.count)]
    let longest = [1, 2, 10, 100, 1000, 5000][below(6)]
    let end = min(original.count, start + 1 + below(longest))
    var range = start..<start
    var new: [UInt8] = []
    switch kind {
    case .truncate: range = start..<original.count
    case .zero: (range, new) = (start..<end, [UInt8](repeating: 0, count: end - start))
    case .flip: (range, new) = (start..<start + 1, [original[start] ^ 1 << UInt8(below(8))])
    case .delete: range = start..<end
    case .insert: new = (0..<1 + below(20)).map { _ in UInt8(below(256)) }
    case .splice:
      let from = below(original.count)
      let copied = from..<min(original.count, from + 1 + below(5000))
      (range, new) = (start..<end, Array(original[copied]))
      hasCopiedStructure = !parts.spans.contains { $0.lowerBound <= copied.lowerBound && copied.upperBound <= $0.upperBound }
    case .controlCharacter: new = [UInt8(below(32))]
    case .invalidUTF8: (range, new) = (start..<start + 1, [0xC0])
    case .quotationMark: new = [UInt8(ascii: "\"")]
    case .structure: new = [Array("{}[],:\"\\".utf8)[below(8)]]
    case .double: new = [original[start]]
    case .loneSurrogate: new = Array("\\ud800".utf8)
    }
    bytes = original
    bytes.replaceSubrange(range, with: new)
    touched = range
    place = range.lowerBound..<range.lowerBound + new.count
  }

  func touches(_ range: Range<Int>) -> Bool {
    touched.isEmpty
      ? touched.lowerBound > range.lowerBound && touched.lowerBound < range.upperBound : range.overlaps(touched)
  }
}

/// What a recovery did wrong, by an oracle that knows the place of the damage.
struct RecoveryFaults {
  var isMalformed = false
  /// Records that the damage doesn't touch, and that are not in the result.
  var lost: [String] = []
  /// Records of the result that are not in the original, and in the damaged document nowhere near the damage.
  var invented: [String] = []

  var isEmpty: Bool { !isMalformed && lost.isEmpty && invented.isEmpty }

  init(_ result: [UInt8], of damage: Damage, _ original: [UInt8], _ parts: DocumentParts) {
    let recovered = DocumentParts(result)
    isMalformed = !recovered.isWellFormed
    var found: [[UInt8]: Int] = [:]
    for record in recovered.records { found[Array(result[record.range]), default: 0] += 1 }
    let headers = parts.headers
    for record in parts.records where !damage.touches(record.range) {
      let bytes = Array(original[record.range])
      if let count = found[bytes], count > 0 {
        found[bytes] = count - 1
        continue
      }
      // What precedes it is gone: it may have become the value of a member.
      if !damage.touched.isEmpty,
        original[..<record.range.lowerBound].dropFirst(damage.touched.upperBound).allSatisfy(" \n".utf8.contains),
        damage.touched.upperBound <= record.range.lowerBound
      {
        continue
      }
      // The name of its collection is damaged, or the damage looks like a collection's end.
      if damage.hasCopiedStructure || headers[record.path].map(damage.touches) ?? false { continue }
      // A bracket too many may have moved it into another record, which is whole.
      if Self.place(of: bytes, in: result, from: 0) == nil { lost.append(Self.excerpt(record.path, bytes)) }
    }
    if damage.touched.lowerBound == 0 { return }
    for (bytes, count) in found where count > 0 && !isNear(bytes, damage) { invented.append(Self.excerpt("", bytes)) }
  }

  private func isNear(_ bytes: [UInt8], _ damage: Damage) -> Bool {
    var from = 0
    while let place = Self.place(of: bytes, in: damage.bytes, from: from) {
      if place <= damage.place.upperBound + 1, place + bytes.count >= damage.place.lowerBound - 1 { return true }
      from = place + 1
    }
    return false
  }

  private static func excerpt(_ path: String, _ bytes: [UInt8]) -> String {
    "\(path) \(String(decoding: bytes.prefix(60), as: UTF8.self))"
  }

  private static func place(of needle: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    guard let first = needle.first, bytes.count >= needle.count else { return nil }
    return bytes.withUnsafeBufferPointer { bytes in
      var index = start
      while index <= bytes.count - needle.count {
        if bytes[index] == first, bytes[index..<index + needle.count].elementsEqual(needle) { return index }
        index += 1
      }
      return nil
    }
  }
}
