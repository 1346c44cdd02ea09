public import ByteStreams
import CZlib

/// Writes gzip data that every program can read: one member, so its truncation is always detected.
///
/// For example:
///
///     var writer = GzipStreamWriter(to: try AtomicFile("export.json.gz"))
///     try writer.write("[1, 2, 3]")
///     try writer.finish()
///     try writer.sink.commit()
public typealias GzipStreamWriter<Sink: ByteSink> = PieceWriter<GzipCodec, Sink>

extension PieceWriter where Codec == GzipCodec {
  public init(to sink: Sink, level: GzipLevel = .normal) { self.init(to: sink, GzipCodec(level: level)) }
}

/// The compression level: from 1, the fastest, to 9, the smallest, as in the `gzip` program.
public struct GzipLevel: Sendable, Hashable {
  public let number: Int

  /// - Returns: `nil` if the number is not in ``numbers``.
  public init?(_ number: Int) {
    guard Self.numbers.contains(number) else { return nil }
    self.number = number
  }

  private init(known number: Int) { self.number = number }

  public static let numbers = 1...9
  public static let normal = GzipLevel(known: 6)
}

/// One gzip member whose Deflate blocks were compressed in independent pieces.
///
///     header without name and time │ blocks, empty stored block │ blocks, empty stored block │ … │ empty last block │ CRC-32 │ size
public struct GzipCodec: PieceCodec {
  private let encoder: GzipPieceEncoder
  private var checksum = CRC32()
  private var size = 0

  init(level: GzipLevel) { encoder = GzipPieceEncoder(level: level) }

  /// The same content gives the same bytes: no time, and an unknown operating system.
  public var start: [UInt8] { [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255] }

  public var end: [UInt8] {
    // An empty block with fixed codes, marked as the last.
    var bytes: [UInt8] = [3, 0]
    bytes.append(littleEndian: checksum.value)
    bytes.append(littleEndian: UInt32(truncatingIfNeeded: size))
    return bytes
  }

  public func encode(_ bytes: UnsafeRawBufferPointer) -> GzipPiece { encoder.encode(bytes) }

  public mutating func join(_ piece: GzipPiece) -> [UInt8] {
    checksum.add(piece.checksum, size: piece.size)
    size += piece.size
    return piece.bytes
  }
}

/// Independently compressed bytes: produced by a worker for a ``GzipStreamWriter`` to write in order.
public struct GzipPiece: Sendable {
  fileprivate(set) var bytes: [UInt8] = []
  fileprivate(set) var checksum = CRC32()
  fileprivate(set) var size = 0
}

/// Compresses bytes into blocks of Deflate data that refer to nothing before them, and end at a whole byte.
///
/// The same bytes give the same blocks. An encoder is used by one thread at a time; make one for each thread.
public final class GzipPieceEncoder {
  private let deflater: Deflater

  public init(level: GzipLevel = .normal) { deflater = Deflater(level: level.number) }

  public func encode(_ bytes: UnsafeRawBufferPointer) -> GzipPiece {
    var piece = GzipPiece()
    piece.size = bytes.count
    piece.checksum.add(bytes)
    piece.bytes = deflater.deflated(bytes)
    // Readers, including `GzipSource`, take data that expands too much for a bomb. So the beginning of such a piece is stored.
    let stored = bytes.count / ExpansionLimits.largestWrittenRatio
    if stored > piece.bytes.count {
      let blocks = Self.stored(UnsafeRawBufferPointer(rebasing: bytes[..<stored]))
      piece.bytes = blocks + deflater.deflated(UnsafeRawBufferPointer(rebasing: bytes[stored...]))
    }
    return piece
  }

  /// Returns stored blocks (RFC 1951, 3.2.4).
  private static func stored(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var blocks: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 0xFFFF) {
      let block = bytes[start..<min(start + 0xFFFF, bytes.count)]
      blocks.append(0)
      blocks.append(littleEndian: UInt16(block.count))
      blocks.append(littleEndian: ~UInt16(block.count))
      blocks.append(contentsOf: block)
    }
    return blocks
  }
}

/// Compresses independent pieces; the only owner of zlib's stream.
final class Deflater {
  private let stream: UnsafeMutablePointer<z_stream>

  init(level: Int) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard coffer_zlib_begin(stream, CInt(level)) == Z_OK else { fatalError("out of memory") }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Returns the blocks of these bytes, and an empty stored block that ends at a whole byte.
  func deflated(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    precondition(bytes.count <= 1 << 30, "a piece is too large")
    if bytes.isEmpty { return [] }
    deflateReset(stream)
    // The bound is for one call with all bytes; the empty block takes up to 6 bytes more.
    let capacity = Int(deflateBound(stream, UInt(bytes.count))) + 16
    return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      stream.pointee.next_in = UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_in = UInt32(bytes.count)
      stream.pointee.next_out = buffer.baseAddress
      stream.pointee.avail_out = UInt32(capacity)
      let status = deflate(stream, Z_SYNC_FLUSH)
      guard status == Z_OK, stream.pointee.avail_in == 0, stream.pointee.avail_out > 0 else {
        fatalError("deflate failed: \(status)")
      }
      count = capacity - Int(stream.pointee.avail_out)
    }
  }
}
