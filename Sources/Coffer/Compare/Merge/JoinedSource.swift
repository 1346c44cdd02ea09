import ByteStreams
import JSONEvents

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

/// Reads records or members of the other document, and writes them one by one.
struct TextReader: ~Copyable {
  private var reader: JSONEventReader
  /// The next event of the reader's batch.
  private var index = 0
  /// The number of open brackets, including the one around all texts.
  private var depth = 0
  private var counts: NumberPaths

  /// - Parameters:
  ///   - isObject: true if the texts are members, not items.
  ///   - counts: the numbers to replace, relative to the container of the texts.
  ///   - next: the place of the next text.
  init(
    _ document: StoredBytes, isObject: Bool, counts: NumberPaths, limits: ReaderLimits,
    next: @escaping () throws(CofferError) -> Range<Int>?
  ) {
    var limits = limits
    // One of them may be the document's root, which has no surrounding container.
    limits.depth += 1
    self.counts = counts
    reader = JSONEventReader(JoinedSource(document, isObject: isObject, next: next), limits: limits)
  }

  /// Writes the next text; false if there is none.
  mutating func writeNext<Sink: ByteSink>(to output: inout MergeOutput<Sink>) throws -> Bool {
    try write(to: &output, isAll: false)
  }

  /// Writes the remaining texts.
  mutating func writeAll<Sink: ByteSink>(to output: inout MergeOutput<Sink>) throws { _ = try write(to: &output, isAll: true) }

  private mutating func write<Sink: ByteSink>(to output: inout MergeOutput<Sink>, isAll: Bool) throws -> Bool {
    while true {
      var start = index
      while index < reader.batch.count {
        let event = reader.batch[index]
        let kind = event.kind
        let outerDepth = depth
        depth += kind == .objectStart || kind == .arrayStart ? 1 : kind == .objectEnd || kind == .arrayEnd ? -1 : 0
        index += 1
        if let number = counts.number(at: event, of: reader.batch) {
          try output.write(reader.batch, start..<index - 1)
          try output.write(number)
          start = index
        }
        // The source adds the outermost brackets.
        if outerDepth == 0 || depth == 0 {
          try output.write(reader.batch, start..<index - 1)
          start = index
        } else if depth == 1, kind != .key, !isAll {
          try output.write(reader.batch, start..<index)
          return true
        }
      }
      try output.write(reader.batch, start..<index)
      index = 0
      guard try reader.next() else { return false }
    }
  }
}
