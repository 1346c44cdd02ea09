public import BackupFormats
public import ByteStreams
public import JSONEvents
public import LZ4Streams

/// The form to convert a document to.
public struct ConversionOptions: Sendable {
  /// How the values are written.
  public enum Layout: Sendable, Hashable {
    /// No blanks at all.
    case compact
    /// A member or an item a line, a level `indent` blanks (0 to 16) further in, a line break at the end.
    case pretty(indent: Int)
    /// As an app's encoder writes it, without a line break at the end.
    case prettyAs(BackupFormat.Encoder)
    /// JSON Lines: an array's items, each compact and on a line of its own.
    case lines
  }

  /// The document's syntax; `nil`: by its name, if it has one, else JSON.
  public var syntax: JSONSyntax?
  public var layout = Layout.compact
  /// Sorts the members of every object by their names' Unicode code points; equal names keep their order.
  ///
  /// Objects of more than 8 MiB go through a temporary file, in `TMPDIR` or /tmp. One of those that has more than 1 048 576 members, or 32 MiB of names
  /// with those around it, is an error: `sortLimit`.
  public var sortsKeys = false
  /// The JSON Pointer of an array that alone is wanted; `nil`: the whole document, which must be an array if lines are to be written.
  public var collection: String?
  /// The collections that are kept; `nil`: all. The others stay as empty arrays, their declared counts as 0 (`countOf`). Excludes `collection` and lines.
  public var only: CollectionSelection?
  /// What says where a document's collections are, for `only`; in one of unknown format they are the root's arrays. `nil`: the formats that ship with
  /// Coffer.
  public var rules: RuleSource?
  /// Compresses the output; `nil`: if the file's name ends in `.lz4`.
  public var compression: LZ4Level?
  public var limits = ReaderLimits()
  /// Threads, memory, temporary files, cancellation and progress.
  public var execution = Execution()
  /// How collections are sliced; `nil`: they are not. Never affects the results.
  package var slices: Slicer.Options? = Slicer.Options()

  public init() {}
}
