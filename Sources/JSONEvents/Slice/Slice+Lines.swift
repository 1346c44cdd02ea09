package import ByteStreams
import CByteScan

extension Slice {
  /// Finds the error in a slice of lines that its reader rejected: the error of the first line that is not one value, and the
  /// preceding lines as a valid slice, if there are any.
  ///
  /// The lines are read one by one, each as a separate document, so that the result does not depend on the slice boundaries.
  /// Cost: a few times that of `SliceReader`, once.
  package func firstBrokenLine(limits: ReaderLimits) -> (before: Slice?, error: CofferError) {
    precondition(syntax == .jsonLines, "the slice is not JSON Lines")
    var position = start
    var from = range.lowerBound
    var count = 0
    while from <= range.upperBound {
      let length = coffer_find_newline(buffer.start + from, range.upperBound - from)
      let line = ByteView(buffer.start + from, count: length)
      let isEnded = from + length < range.upperBound || hasSuccessor
      let isBlank = coffer_is_blank(line.base, length) != 0
      if let error = Self.error(in: line, isBlank: isBlank, isEnded: isEnded, at: position, limits) {
        guard count > 0 else { return (nil, error) }
        let before = Slice(
          start: start, firstIndex: firstIndex, recordCount: count, syntax: .jsonLines, hasSuccessor: true, buffer: buffer,
          range: range.lowerBound..<from - 1)
        return (before, error)
      }
      if !isBlank { count += 1 }
      from += length + 1
      position = TextPosition(offset: position.offset + length + 1, line: position.line + 1, column: 1)
    }
    // Both use the same parser and the same checks, so this has never been observed.
    return (nil, CofferError(.syntax, "a line is not one JSON value", at: .init(position: start)))
  }

  private static func error(
    in line: ByteView, isBlank: Bool, isEnded: Bool, at position: TextPosition, _ limits: ReaderLimits
  ) -> CofferError? {
    if line.count > limits.lineSize { return limits.lineLimitError(at: position) }
    if isBlank { return nil }
    var lineLimits = limits
    lineLimits.chunkSize = max(1, min(limits.chunkSize, line.count))
    var reader = JSONEventReader(MemorySource(line.array), limits: lineLimits, at: position, as: isEnded ? .line : .lastLine)
    do {
      while try reader.next() {}
      return nil
    } catch {
      return error
    }
  }
}
