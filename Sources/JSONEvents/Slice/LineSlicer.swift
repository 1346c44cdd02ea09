package import ByteStreams
import CByteScan

/// Splits JSON Lines into slices of whole lines while reading.
///
/// It only looks for line breaks; `SliceReader` verifies that each line is one value.
///
/// Memory: one slice, and those that were passed on. A line longer than a slice makes a larger one, up to
/// `ReaderLimits.lineSize`.
package final class LineSlicer {
  private var source: any ByteSource
  private let sliceSize: Int
  private let limits: ReaderLimits
  private var buffer: SliceBuffer
  /// The end of all slices returned: the start of a line, or the document's end.
  package private(set) var position = TextPosition(offset: 0, line: 1, column: 1)
  private var recordCount = 0
  private var hasStarted = false
  private var sourceEnded = false
  /// The error that ended the source: thrown after all preceding whole lines have been returned.
  private var failure: CofferError?

  package init(_ source: some ByteSource, options: Slicer.Options = Slicer.Options(), limits: ReaderLimits = ReaderLimits()) {
    precondition(options.sliceSize > 0, "the slice size must be positive")
    precondition(limits.lineSize > 0 && limits.lineSize <= 1 << 30, "the line limit is out of range")
    self.source = source
    sliceSize = options.sliceSize
    self.limits = limits
    buffer = SliceBuffer(capacity: sliceSize + 4096)
  }

  /// Splits a part of a document of JSON Lines, which begins at a line.
  ///
  /// - Parameters:
  ///   - source: the bytes from that line on.
  ///   - position: the start of the line.
  ///   - firstIndex: the number of records before it.
  package convenience init(
    _ source: some ByteSource, options: Slicer.Options, limits: ReaderLimits, from position: TextPosition, firstIndex: Int
  ) {
    self.init(source, options: options, limits: limits)
    self.position = position
    recordCount = firstIndex
    // Only the document's start may have a byte-order mark.
    hasStarted = position.offset > 0
  }

  /// The number of bytes of the document that have been read.
  package var bytesRead: Int { position.offset + buffer.count }

  /// Returns the next slice, or `nil` at the document's end.
  ///
  /// - Throws: `CofferError` if a line is too long, or from the source.
  package func nextSlice() throws(CofferError) -> Slice? {
    if !hasStarted { skipByteOrderMark() }
    var searched = 0
    var wanted = sliceSize
    while true {
      fill(to: wanted)
      let newline = searched + coffer_find_last_newline(buffer.start + searched, buffer.count - searched)
      if newline < buffer.count {
        if let slice = take(upTo: newline, hasSuccessor: true) { return slice }
        searched = 0
        wanted = sliceSize
        continue
      }
      // The line is incomplete, but already too long.
      if buffer.count > limits.lineSize, !sourceEnded || failure != nil { throw limits.lineLimitError(at: position) }
      if let failure { throw failure }
      if sourceEnded {
        guard buffer.count > 0 else { return nil }
        buffer.append(UInt8(ascii: "\n"))
        return take(upTo: buffer.count - 1, hasSuccessor: false)
      }
      searched = buffer.count
      wanted = 2 * buffer.count
    }
  }

  /// Returns the lines before the line break at `newline` as a slice, or `nil` if all are blank.
  private func take(upTo newline: Int, hasSuccessor: Bool) -> Slice? {
    var lines = 0
    let count = coffer_count_records(buffer.start, newline + 1, &lines)
    let slice = Slice(
      start: position, firstIndex: recordCount, recordCount: count, syntax: .jsonLines, hasSuccessor: hasSuccessor,
      buffer: buffer,
      range: 0..<newline)
    if hasSuccessor {
      position = TextPosition(offset: slice.end + 1, line: position.line + lines, column: 1)
    } else {
      var lines = slice.lines
      position = lines.position(at: slice.end)
    }
    recordCount += count
    buffer = buffer.copy(from: newline + 1, reserving: sliceSize)
    // A blank line that is too long is left to the slice's reader.
    return count == 0 && newline <= limits.lineSize ? nil : slice
  }

  private func skipByteOrderMark() {
    hasStarted = true
    fill(to: 3)
    guard buffer.count >= 3, buffer[0] == 0xEF, buffer[1] == 0xBB, buffer[2] == 0xBF else { return }
    buffer.dropFirst(3)
    position.offset = 3
  }

  /// Returns the error of the source that ended it, or that a checksum within the next `limit` bytes shows.
  package func damage(within limit: Int) -> CofferError? {
    if let failure { return failure }
    guard var source = source as? any ChecksummedSource else { return nil }
    defer { self.source = source }
    return source.damage(within: limit)
  }

  /// Reads until the buffer holds `length` bytes; fewer only at the source's end.
  private func fill(to length: Int) {
    while !sourceEnded, buffer.count < length {
      do throws(CofferError) {
        sourceEnded = try buffer.fill(from: &source, upTo: length - buffer.count) == 0
      } catch {
        sourceEnded = true
        failure = error
      }
    }
  }
}

extension ReaderLimits {
  func lineLimitError(at position: TextPosition) -> CofferError {
    CofferError(.lineLimit, "a line is longer than the limit of \(lineSize) bytes", at: .init(position: position))
  }
}
