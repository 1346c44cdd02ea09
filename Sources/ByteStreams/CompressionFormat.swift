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
