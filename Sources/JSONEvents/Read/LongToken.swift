import CByteScan

/// A token that goes on past what has been fed: yajl would lex it from its start at every chunk, so its rest is withheld until it is complete.
///
/// Its places are offsets in the document, for the buffer moves on while it is read.
struct LongToken {
  /// Shorter ones yajl may lex twice: that costs less than finding their end here.
  static let minimumLength = 4096

  let start: Int
  private let isString: Bool
  /// Where to go on looking for its end.
  private var searched: Int

  init(start: Int, firstByte: UInt8) {
    self.start = start
    isString = firstByte == UInt8(ascii: "\"")
    searched = start + 1
  }

  /// Whether its end stands in `bytes`, which lie in the document from `base` on; what has been searched once is not searched again.
  mutating func hasEnd(in bytes: ByteView, from base: Int) -> Bool {
    var position = searched - base
    let found: Bool
    if isString {
      found = coffer_find_string_end(bytes.base, bytes.count, &position) != 0
    } else {
      while position < bytes.count, SyntaxDiagnosis.isNumberByte(bytes[position]) { position += 1 }
      found = position < bytes.count
    }
    searched = base + position
    return found
  }
}
