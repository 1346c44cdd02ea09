import ByteStreams
import CompressedStreams
import JSONEvents
import SystemPackage

/// One thread's part of a conversion: checks that slices are well formed, formats their records, and compresses them.
struct SliceFormatting<Formatter: EventFormatter & ~Copyable>: SliceWorker {
  let layout: FormatLayout
  /// The number of open brackets around the records, in the document and in the output. `nil` if the records are not written.
  let depth: Int
  let formattedDepth: Int?
  let limits: ReaderLimits
  let encoder: PieceEncoder?
  let temporaryFolder: FilePath

  /// Returns the formatted slice, or `nil` if the text is disproportionately larger than the slice, which is then
  /// formatted as part of the envelope.
  func work(on slice: Slice, workerContext: Void) -> FormattedSlice? {
    var reader = SliceReader(slice, depth: depth, limits: limits)
    guard let formattedDepth else {
      while reader.next() {}
      return reader.hasFailed ? nil : .nothing
    }
    let place = FormatPlace(depth: formattedDepth, isAfterItem: slice.firstIndex > 0)
    var formatter = Formatter(layout: layout, at: place, temporaryFolder: temporaryFolder)
    while reader.next() {
      // Only draining can fail, and nothing is drained here.
      do { try formatter.write(reader.batch, 0..<reader.batch.count) } catch { return nil }
      // Indentation of deep nesting can enlarge a slice's text without limit. The envelope's text is passed on as it is
      // formatted.
      if formatter.byteCount > max(4 << 20, 4 * slice.byteCount) { return nil }
    }
    if reader.hasFailed { return nil }
    let text = formatter.takeText()
    return if let encoder { .compressed(encoder.encode(text.bytes)) } else { .text(FormattedText(text)) }
  }
}

/// The result of a slice.
enum FormattedSlice: Sendable {
  /// The slice is well formed, but not part of the output.
  case nothing
  case text(FormattedText)
  case compressed(CompressedPiece)
}

/// Text that is passed from one thread to another.
final class FormattedText: Sendable {
  let buffer: OutputBuffer
  init(_ buffer: consuming OutputBuffer) { self.buffer = buffer }
}
