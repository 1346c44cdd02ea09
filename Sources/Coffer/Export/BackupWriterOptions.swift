public import JSONEvents
public import LZ4Streams

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
  /// The output's compression. If `nil`, it is compressed if the file's name ends in `.lz4`.
  public var compression: LZ4Level?

  public init() {}
}
