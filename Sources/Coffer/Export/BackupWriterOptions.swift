public import JSONEvents
public import LZ4Streams

/// What a written backup looks like.
public struct BackupWriterOptions: Sendable {
  /// What stands around the records.
  public enum Shape: Sendable, Hashable {
    /// An object, of members and of collections.
    case object
    /// Nothing but an array of them.
    case array
    /// Nothing: a record a line (JSON Lines).
    case lines
  }

  /// `nil`: JSON Lines where a file's name shows them (`.jsonl`, `.ndjson`), else an object.
  public var shape: Shape?
  public var layout = JSONEventWriter.Layout.compact
  public var slashes = JSONEventWriter.Slashes.plain
  /// Compresses what is written; `nil`: where a file's name ends in `.lz4`, else not.
  public var compression: LZ4Level?

  public init() {}
}
