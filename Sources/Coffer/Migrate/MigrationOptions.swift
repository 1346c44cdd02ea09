public import BackupFormats
public import ByteStreams
public import CompressedStreams
public import JSONEvents
public import Rules

/// Options for migrating a document.
public struct MigrationOptions: Sendable {
  /// The version to stop at, or `nil` for the current one.
  public var version: Int?
  /// The document's container: some formats differ between a plain file and an entry of a ZIP.
  public var container = BackupFormat.Container.json
  /// The container that the output's name promises. A backup of another kind is an error. If `nil`, both are accepted.
  public var outputContainer: BackupFormat.Container?
  /// The current time, for steps that fill it in: the same for the whole run.
  public var now: Instant
  public var layout = JSONEventWriter.Layout.compact
  /// The output's compression. If `nil`, the file's name decides: it may end in `.lz4`, `.gz` or `.zst`.
  public var compression: Compression?
  public var limits = ReaderLimits()
  /// The maximum memory for a record that a step changes, and for the document without its collections. Exceeding it is an error.
  public var heldSize = 256 << 20
  /// Threads, memory, temporary files, cancellation and progress.
  public var execution = Execution()
  package var slices: Slicer.Options? = Slicer.Options()

  /// Creates options with the current time and the defaults above.
  public init(now: Instant) { self.now = now }

  var pass: PassOptions { PassOptions(execution, limits: limits, slices: slices) }

  var formatLayout: FormatLayout {
    switch layout {
    case .compact: .compact
    case .pretty(let indent): .pretty(indent: indent)
    }
  }
}
