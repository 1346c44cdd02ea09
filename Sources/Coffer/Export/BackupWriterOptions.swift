public import CompressedStreams
public import JSONEvents

/// Options for writing a backup.
public struct BackupWriterOptions: Sendable {
  /// The structure around the records.
  public enum Shape: Sendable, Hashable {
    /// An object of members and collections.
    case object
    /// An array of records.
    case array
    /// One record per line, without an array (JSON Lines).
    case lines
  }

  /// The document's shape. If `nil`, it is JSON Lines if the file's name ends in `.jsonl` or `.ndjson`, otherwise an object.
  public var shape: Shape?
  public var layout = JSONEventWriter.Layout.compact
  public var slashes = JSONEventWriter.Slashes.plain
  /// The output's compression. If `nil`, the file's name decides: it may end in `.lz4`, `.gz` or `.zst`.
  public var compression: Compression?

  public init() {}
}
