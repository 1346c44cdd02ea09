import CByteScan

/// A token that continues after the bytes fed. yajl would lex it from its start with every chunk, so its rest is withheld until
/// it is complete.
///
/// Places are document offsets, because the buffer moves while the token is read.
struct LongToken {
  /// yajl may lex shorter tokens twice, which costs less than finding their end here.
  static let minimumLength = 4096

  let start: Int
  private let isString: Bool
  /// The position at which the search for the end resumes.
  private var searched: Int

  init(start: Int, firstByte: UInt8) {
    self.start = start
    isString = firstByte == UInt8(ascii: "\"")
    searched = start + 1
  }

  /// Returns true if the token ends in `bytes`, which begin at the document offset `base`. Nothing is searched twice.
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
