public import ByteStreams
import CLZ4

/// Writes LZ4 data that every LZ4 program can read and whose truncation is always detected; `StreamSeal` shows the layout.
///
/// For example:
///
///     var writer = LZ4StreamWriter(to: try AtomicFile("export.json.lz4"))
///     try writer.write("[1, 2, 3]")
///     try writer.finish()
///     try writer.sink.commit()
public typealias LZ4StreamWriter<Sink: ByteSink> = PieceWriter<LZ4FrameEncoder, Sink>

extension PieceWriter where Codec == LZ4FrameEncoder {
  public init(to sink: Sink, level: Int = CompressionFormat.lz4.defaultLevel) {
    self.init(to: sink, LZ4FrameEncoder(level: level))
  }
}

/// Compresses bytes into independent frames, each with content size, checksum and one block of at most 4 MiB.
///
///     magic (4) │ 6C │ block size │ content size (8) │ HC │ size of the block (4) │ block │ 00 00 00 00 │ checksum (4)
///
/// Doesn't use the library's `LZ4F_compressFrame`, because its checksum takes twice as long; see `XXH32`.
///
/// Memory: the worst case of a 4 MiB piece, slightly more than 4 MiB; from level 3 on 256 KiB more during compression.
public final class LZ4FrameEncoder: PieceCodec {
  /// The specification (LZ4 Frame Format 1.6.4, "Skippable frames") recommends the empty frame. It has a content size, which
  /// `lz4` omits for an empty file.
  static let emptyFrame: [UInt8] = [
    0x04, 0x22, 0x4D, 0x18, 0x68, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0x05, 0, 0, 0, 0,
  ]

  private static let headerSize = 15
  private let level: Int
  private var buffer: UnsafeMutableRawBufferPointer?

  /// - Parameter level: one of the format's. Decompression is equally fast at all levels.
  public init(level: Int = CompressionFormat.lz4.defaultLevel) { self.level = level }

  deinit { buffer?.deallocate() }

  public var frame: StreamFrame { .sealed(after: Self.emptyFrame) }

  /// Returns one frame for each 4 MiB of `bytes` and one for the rest; none for no bytes.
  public func encode(_ bytes: UnsafeRawBufferPointer) -> CompressedPiece {
    var frames = CompressedPiece()
    for start in stride(from: 0, to: bytes.count, by: Self.largestContent) {
      let end = min(start + Self.largestContent, bytes.count)
      append(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), to: &frames)
    }
    return frames
  }

  private func append(_ content: UnsafeRawBufferPointer, to frames: inout CompressedPiece) {
    let capacity = Int(LZ4_compressBound(CInt(content.count)))
    let buffer = reserve(capacity)
    let source = content.baseAddress?.assumingMemoryBound(to: CChar.self)
    let target = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
    // As in the library's frames, level 3 and higher use the other search, which is slower and finds longer matches.
    let size =
      level < 3
      ? LZ4_compress_default(source, target, CInt(content.count), CInt(capacity))
      : LZ4_compress_HC(source, target, CInt(content.count), CInt(capacity), CInt(level))
    // The buffer suffices for the worst case, so only memory can be lacking.
    guard size > 0 else { fatalError("out of memory") }
    // Data that does not shrink is stored uncompressed.
    let isStored = Int(size) >= content.count
    let block = isStored ? content : UnsafeRawBufferPointer(rebasing: buffer[..<Int(size)])
    let checksum = XXH32.digest(of: content)

    frames.bytes.reserveCapacity(frames.bytes.count + Self.headerSize + 4 + block.count + 8)
    appendHeader(of: content.count, to: &frames.bytes)
    frames.bytes.append(littleEndian: UInt32(block.count) | (isStored ? 0x8000_0000 : 0))
    frames.bytes.append(contentsOf: block)
    frames.bytes.append(littleEndian: UInt32(0))
    frames.bytes.append(littleEndian: checksum)
    frames.contents.append(FrameContent(size: UInt64(content.count), checksum: checksum))
  }

  private func appendHeader(of size: Int, to bytes: inout [UInt8]) {
    bytes.append(littleEndian: FrameHeader.magic)
    // Version 1, independent blocks, content size, content checksum; then the smallest sufficient block size.
    let blockSize = (4...7).first { size <= 1 << (8 + 2 * $0) } ?? 7
    let descriptor = bytes.count
    bytes += [0b0110_1100, UInt8(blockSize << 4)]
    bytes.append(littleEndian: UInt64(size))
    let checksum = bytes[descriptor...].withUnsafeBytes { XXH32.digest(of: $0) }
    bytes.append(UInt8(truncatingIfNeeded: checksum >> 8))
  }

  private func reserve(_ size: Int) -> UnsafeMutableRawBufferPointer {
    if let buffer, buffer.count >= size { return buffer }
    buffer?.deallocate()
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    buffer = larger
    return larger
  }
}

extension CofferError.Code {
  /// The input does not begin like LZ4 data.
  public static let notLZ4 = Self(rawValue: "not-lz4")
  /// Corrupt LZ4 data: a checksum mismatch, a wrong size, a missing frame.
  public static let lz4Corrupt = Self(rawValue: "lz4-corrupt")
  /// Truncated LZ4 data.
  public static let lz4Truncated = Self(rawValue: "lz4-truncated")
  /// LZ4 data without a detected defect that needs a dictionary or a newer program.
  public static let lz4Unsupported = Self(rawValue: "lz4-unsupported")
}
