public import BackupFormats
public import ByteStreams
public import CompressedStreams
public import JSONEvents

/// Options for converting a document.
public struct ConversionOptions: Sendable {
  /// The layout of the output.
  public enum Layout: Sendable, Hashable {
    /// No white space.
    case compact
    /// One member or item per line, indented by `indent` blanks (0 to 16) per level, with a line break at the end.
    case pretty(indent: Int)
    /// The layout of an app's encoder, without a line break at the end.
    case prettyAs(BackupFormat.Encoder)
    /// JSON Lines: an array's items, each compact and on its own line.
    case lines
  }

  /// The document's syntax. If `nil`, the document's name decides; without a name, it is JSON.
  public var syntax: JSONSyntax?
  public var layout = Layout.compact
  /// Sorts the members of every object by their names' Unicode code points; equal names keep their order.
  ///
  /// Objects of more than 8 MiB are sorted in a temporary file, in `TMPDIR` or /tmp. If such an object has more than 1 048 576
  /// members, or 32 MiB of names with those of the objects around it, the error is `sortLimit`.
  public var sortsKeys = false
  /// The JSON Pointer of the only array to write. If `nil`, the whole document is written; for JSON Lines, it must be an array.
  public var collection: String?
  /// The collections to keep, or `nil` for all. The others become empty arrays, and their declared counts 0 (`countOf`). Can't be
  /// combined with `collection` or lines.
  public var only: CollectionSelection?
  /// The rules that locate a document's collections, for `only`; for an unknown format, these are the root's arrays. If `nil`,
  /// the built-in formats.
  public var rules: RuleSource?
  /// The output's compression. If `nil`, the file's name decides: it may end in `.lz4`, `.gz` or `.zst`.
  public var compression: Compression?
  public var limits = ReaderLimits()
  /// Threads, memory, temporary files, cancellation and progress.
  public var execution = Execution()
  package var slices: Slicer.Options? = Slicer.Options()

  public init() {}
}
