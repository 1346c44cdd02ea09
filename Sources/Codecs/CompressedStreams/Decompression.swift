public import ByteStreams
import GzipStreams
import LZ4Streams
import ZstdStreams

/// Bytes whose compression was detected, decompressed as they are read.
///
/// For example:
///
///     let document = try Decompression(FileSource(path: "export.json.zst"))
///     document.format                             // zstd
///     let report = try validator.validate(document.source, named: "export.json.zst")
public struct Decompression {
  /// The format, or `nil` if the bytes are not compressed.
  public let format: CompressionFormat?
  /// The decompressed bytes, or the same bytes if they are not compressed.
  public let source: any ByteSource

  /// Reads the first four bytes, and more if they begin a skippable frame, which LZ4 and zstd have in common. JSON never begins like
  /// compressed data.
  ///
  /// - Parameters:
  ///   - source: the document, compressed or not.
  ///   - limits: the maximum size of the content.
  public init(_ source: some ByteSource, limits: ExpansionLimits = ExpansionLimits()) throws(CofferError) {
    var start = Start(source)
    self.init(try start.format(), PrefixedSource(prefix: start.bytes, rest: start.rest), limits)
  }

  /// Expands bytes as a format, whatever they begin with.
  package init(_ source: some ByteSource, as format: CompressionFormat, limits: ExpansionLimits) {
    self.init(format, source, limits)
  }

  private init(_ format: CompressionFormat?, _ whole: some ByteSource, _ limits: ExpansionLimits) {
    self.format = format
    source =
      switch format {
      case .lz4: LZ4Source(whole, limits: limits)
      case .gzip: GzipSource(whole, limits: limits)
      case .zstd: ZstdSource(whole, limits: limits)
      case nil: whole
      }
  }
}

/// The bytes that show the format.
private struct Start {
  private(set) var bytes: [UInt8] = []
  private(set) var rest: any ByteSource

  init(_ source: any ByteSource) { rest = source }

  /// The bytes of skippable frames that are read to find the first other frame.
  private static let limit = 16 << 20

  mutating func format() throws(CofferError) -> CompressionFormat? {
    _ = try have(4)
    if bytes.starts(with: GzipSource.magic) { return .gzip }
    var position = 0
    while position < Self.limit, try have(position + 4) {
      let magic = number(at: position)
      if ZstdSource.isMagic(magic) { return .zstd }
      guard LZ4Source.isMagic(magic) else { break }
      guard FrameSequence.isSkippable(magic) else { return .lz4 }
      guard try have(position + 8) else { return .lz4 }
      position += 8 + Int(number(at: position + 4))
    }
    // Nothing but skippable frames: both formats read them.
    return position > 0 ? .lz4 : nil
  }

  /// Reads until there are `count` bytes; false if the input ends first.
  private mutating func have(_ count: Int) throws(CofferError) -> Bool {
    if bytes.count < count { bytes += try rest.readPrefix(count - bytes.count) }
    return bytes.count >= count
  }

  private func number(at offset: Int) -> UInt32 { UInt32(bytes.littleEndian(at: offset, count: 4)) }
}

extension CofferError.Code {
  /// The input is not compressed in a format that Coffer reads.
  public static let notCompressed = Self(rawValue: "not-compressed")
}
