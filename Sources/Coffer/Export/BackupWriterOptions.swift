public import JSONEvents
public import LZ4Streams

/// The form of a written backup.
public struct BackupWriterOptions: Sendable {
  /// The values around the records.
  public enum Shape: Sendable, Hashable {
    /// An object, of members and of collections.
    case object
    /// Only an array of them.
    case array
    /// Nothing: a record a line (JSON Lines).
    case lines
  }

  /// `nil`: JSON Lines where a file's name shows them (`.jsonl`, `.ndjson`), else an object.
  public var shape: Shape?
  public var layout = JSONEventWriter.Layout.compact
  public var slashes = JSONEventWriter.Slashes.plain
  /// Compresses the output; `nil`: if the file's name ends in `.lz4`.
  public var compression: LZ4Level?

  public init() {}
}
