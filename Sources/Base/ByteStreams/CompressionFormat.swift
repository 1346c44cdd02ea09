/// A format of compressed data that Coffer reads and writes.
public enum CompressionFormat: String, Sendable, Hashable, CaseIterable, Encodable {
  /// LZ4 frames.
  case lz4
  /// RFC 1952.
  case gzip
  /// RFC 8878.
  case zstd

  /// The name in messages.
  public var name: String { self == .lz4 ? "LZ4" : rawValue }

  /// The ending of file names, without the dot.
  public var ending: String {
    switch self {
    case .lz4: "lz4"
    case .gzip: "gz"
    case .zstd: "zst"
    }
  }

  /// The levels, as in the format's program: from the fastest to the smallest.
  public var levels: ClosedRange<Int> {
    switch self {
    case .lz4: 1...12
    case .gzip: 1...9
    case .zstd: 1...19
    }
  }

  /// The level that the format's program has without an option.
  public var defaultLevel: Int {
    switch self {
    case .lz4: 1
    case .gzip: 6
    case .zstd: 3
    }
  }

  /// Returns the format that a file name promises: `.lz4`, `.gz` or `.zst`, in any letter case.
  public init?(ofFileNamed name: String) {
    let name = name.lowercased()
    guard let format = Self.allCases.first(where: { name.hasSuffix("." + $0.ending) }) else { return nil }
    self = format
  }

  /// Returns a file name without the ending of a compressed file, or unchanged if it has none.
  public static func plainName(of name: String) -> String {
    Self(ofFileNamed: name).map { String(name.dropLast($0.ending.count + 1)) } ?? name
  }

  /// The endings for messages: `.lz4, .gz or .zst`.
  package static let listedEndings =
    allCases.dropLast().map { ".\($0.ending)" }.joined(separator: ", ") + " or .\(allCases[allCases.count - 1].ending)"
}

/// A position in compressed data, which every error about it states.
package struct FramePlace: Sendable {
  private let format: CompressionFormat
  /// The number of the frame, or of the member of gzip data, from 1; skippable frames count.
  package let frame: Int
  /// The offset from 0, in compressed bytes.
  package let offset: Int

  package init(_ format: CompressionFormat, frame: Int, offset: Int) {
    self.format = format
    self.frame = frame
    self.offset = offset
  }

  /// Another place in the same frame.
  package func at(_ offset: Int) -> FramePlace { FramePlace(format, frame: frame, offset: offset) }

  package func corrupt(_ what: String) -> CofferError { error("corrupt", "corrupt \(format.name) data", what) }

  package func truncated(_ what: String) -> CofferError { error("truncated", "truncated \(format.name) data", what) }

  package func unsupported(_ what: String) -> CofferError { error("unsupported", "cannot read this \(format.name) data", what) }

  /// Creates the code `lz4-corrupt`, `gzip-truncated` and so on.
  private func error(_ code: String, _ kind: String, _ what: String) -> CofferError {
    CofferError(
      CofferError.Code(rawValue: "\(format.rawValue)-\(code)"),
      "\(kind): \(what) (\(format == .gzip ? "member" : "frame") \(frame), compressed byte \(offset))",
      at: .init(inputOffset: offset))
  }
}

extension CofferError.Code {
  /// What is wrong with compressed data: `corrupt`, `truncated` or `unsupported`. `nil` if the error is about something else.
  package var compressionFault: String? {
    CompressionFormat.allCases.lazy.compactMap { format in
      if rawValue == "not-\(format.rawValue)" { return "absent" }
      return rawValue.hasPrefix("\(format.rawValue)-") ? String(rawValue.dropFirst(format.rawValue.count + 1)) : nil
    }.first
  }
}

/// Compressed data, decoded as it is read: frames, or the members of gzip data, one after the other.
package protocol CompressedSource: FailingReader, ChecksummedSource {
  /// The code of errors about damage.
  static var corruption: CofferError.Code { get }

  /// The number of compressed bytes decoded so far.
  var bytesRead: Int { get }
  /// True within a frame that ends with a checksum of its content.
  var isBeforeChecksum: Bool { get }

  /// Gets the errors about damage. If there is such a closure, what can be decoded behind the damage is read, too, and a zero byte is read
  /// in place of what can't.
  var onDamage: ((CofferError) -> Void)? { get set }

  /// Passes what can't be decoded after an error, and at least a byte of what failed. Returns false if nothing follows.
  func passDamage() throws(CofferError) -> Bool

  /// Begins the next frame unless one is open. Returns false at the end of the data.
  func beginFrame() throws(CofferError) -> Bool

  /// Decodes content of the open frame. Returns 0 only at its end, after which it is closed.
  func readFrame(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int
}

extension CompressedSource {
  /// Decodes the next content. Returns 0 at the end of the data.
  package func readContent(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    do throws(CofferError) {
      return try readFrames(into: buffer)
    } catch {
      // A damaged header may ask for what no decoder supports.
      guard let onDamage, error.code.compressionFault != nil else { throw error }
      onDamage(error)
      failure = nil
      guard try passDamage() else { return 0 }
      buffer[0] = 0
      return 1
    }
  }

  private func readFrames(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    try orFail { () throws(CofferError) in
      while try beginFrame() {
        let count = try readFrame(into: buffer)
        if count > 0 { return count }
      }
      return 0
    }
  }

  /// Reads to the end of the current frame.
  package func damage(within limit: Int) -> CofferError? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { buffer.deallocate() }
    do throws(CofferError) {
      try orFail { () throws(CofferError) in
        var rest = limit
        while rest > 0, isBeforeChecksum { rest -= try readFrame(into: buffer) }
      }
      return nil
    } catch {
      return error.code == Self.corruption ? error : nil
    }
  }
}

/// The limits of what compressed data may expand to, whatever its headers declare. Beyond them, reading stops with the error
/// `limit`.
///
/// The defaults: 1 TiB, and a ratio that real documents don't reach.
public struct ExpansionLimits: Sendable, Hashable {
  /// The content's size in bytes.
  public var size = 1 << 40
  /// The maximum compression ratio of content of more than 1 MiB. LZ4 data has no such limit, because it can't expand more than 255
  /// times.
  public var ratio = 200

  public init() {}

  /// The largest ratio that Coffer writes: half of the default limit, so that readers accept its output.
  package static let largestWrittenRatio = ExpansionLimits().ratio / 2

  /// Small content is harmless at any ratio.
  package static let ratioFloor = 1 << 20
}

extension CofferError.Code {
  /// Compressed data or an archive exceeds a limit of entries, bytes or compression ratio.
  public static let limit = Self(rawValue: "limit")
}

/// Counts the content of compressed data.
package struct ExpansionMeter: Sendable {
  private let limits: ExpansionLimits
  private let format: CompressionFormat
  private var size = 0

  package init(_ format: CompressionFormat, _ limits: ExpansionLimits) {
    self.format = format
    self.limits = limits
  }

  /// Adds decoded bytes.
  ///
  /// - Parameter compressed: the number of compressed bytes that the decoder has consumed so far.
  package mutating func add(_ count: Int, compressed: Int) throws(CofferError) {
    size += count
    if size > limits.size {
      throw error("the \(format.name) data expands to more than \(limits.size) bytes", compressed)
    }
    if format != .lz4, size > ExpansionLimits.ratioFloor, size / max(1, compressed) >= limits.ratio {
      throw error("the \(format.name) data expands to more than \(limits.ratio) times its size", compressed)
    }
  }

  private func error(_ message: String, _ offset: Int) -> CofferError {
    CofferError(.limit, message, at: .init(inputOffset: offset))
  }
}
