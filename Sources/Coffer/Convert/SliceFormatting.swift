import ByteStreams
import JSONEvents
import LZ4Streams
import SystemPackage

/// One thread's part of a conversion: proves slices well formed, formats their records, and compresses them.
struct SliceFormatting<Formatter: EventFormatter & ~Copyable>: SliceWorker {
  let layout: FormatLayout
  /// The number of open brackets around the records, in the document and in the output; `nil`: they are not written.
  let depth: Int
  let formattedDepth: Int?
  let limits: ReaderLimits
  let encoder: LZ4FrameEncoder?
  let temporaryFolder: FilePath

  /// `nil`, too, if the text is out of all proportion to the slice: then it is formatted as envelope.
  func work(on slice: Slice, workerContext: Void) -> FormattedSlice? {
    var reader = SliceReader(slice, depth: depth, limits: limits)
    guard let formattedDepth else {
      while reader.next() {}
      return reader.hasFailed ? nil : .nothing
    }
    let place = FormatPlace(depth: formattedDepth, isBehindItem: slice.firstIndex > 0)
    var formatter = Formatter(layout: layout, at: place, temporaryFolder: temporaryFolder)
    while reader.next() {
      // Only draining fails, which doesn't happen here.
      do { try formatter.write(reader.batch, 0..<reader.batch.count) } catch { return nil }
      // As envelope, which is handed over as it comes: deep nesting, indented, makes any amount of text of a slice.
      if formatter.byteCount > max(4 << 20, 4 * slice.byteCount) { return nil }
    }
    if reader.hasFailed { return nil }
    let text = formatter.takeText()
    return if let encoder { .frames(encoder.encode(text.bytes)) } else { .text(FormattedText(text)) }
  }
}

/// The result of a slice.
enum FormattedSlice: Sendable {
  /// Well formed, and not part of the output.
  case nothing
  case text(FormattedText)
  case frames(LZ4Frames)
}

/// Text that is handed from one thread to another.
final class FormattedText: Sendable {
  let buffer: OutputBuffer
  init(_ buffer: consuming OutputBuffer) { self.buffer = buffer }
}
