import ByteStreams

/// Presents texts of a document as one array, or members as one object:
///
///     [ text , text , text ]
///
/// Small adjacent texts are read together.
struct JoinedSource: ByteSource {
  private let document: StoredBytes
  private let next: () throws(CofferError) -> Range<Int>?
  private let brackets: (UInt8, UInt8)
  /// The rest of the current text, or `nil` before the first one.
  private var rest: Range<Int>?
  private var isAtEnd = false
  /// The document's bytes from `windowStart`.
  private var window: [UInt8] = []
  private var windowStart = 0
  /// Grows while the texts are adjacent.
  private var windowSize = smallWindow
  private static let smallWindow = 4 << 10
  private static let largeWindow = 256 << 10

  init(_ document: StoredBytes, isObject: Bool, next: @escaping () throws(CofferError) -> Range<Int>?) {
    self.document = document
    self.next = next
    brackets = isObject ? (UInt8(ascii: "{"), UInt8(ascii: "}")) : (UInt8(ascii: "["), UInt8(ascii: "]"))
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    var count = 0
    while count < buffer.count, !isAtEnd {
      if let text = rest, !text.isEmpty {
        let copied = try copy(text, into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
        rest = text.dropFirst(copied)
        count += copied
        continue
      }
      let isFirst = rest == nil
      if let text = try next() {
        buffer[count] = isFirst ? brackets.0 : UInt8(ascii: ",")
        rest = text
      } else if isFirst {
        // No text follows.
        buffer[count] = brackets.0
        rest = 0..<0
      } else {
        buffer[count] = brackets.1
        isAtEnd = true
      }
      count += 1
    }
    return count
  }

  private mutating func copy(_ text: Range<Int>, into target: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    if !(windowStart..<windowStart + window.count).contains(text.lowerBound) { try moveWindow(to: text.lowerBound) }
    let start = text.lowerBound - windowStart
    let count = min(text.count, window.count - start, target.count)
    window.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count])) }
    return count
  }

  private mutating func moveWindow(to offset: Int) throws(CofferError) {
    let end = windowStart + window.count
    let isNext = offset >= end && offset < end + windowSize
    windowSize = isNext ? min(windowSize * 2, Self.largeWindow) : Self.smallWindow
    var source = StoredSource(document, offset..<offset + windowSize)
    window = try source.readPrefix(windowSize)
    windowStart = offset
    if window.isEmpty {
      throw CofferError(.inputChanged, "the input changed: a text read earlier is missing")
    }
  }
}
