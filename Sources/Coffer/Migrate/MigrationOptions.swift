public import BackupFormats
public import ByteStreams
public import JSONEvents
public import LZ4Streams
public import Rules

/// How a document is migrated.
public struct MigrationOptions: Sendable {
  /// The version to stop at; `nil`: the current one.
  public var version: Int?
  /// The document's container: some formats treat a file of its own and an entry of a ZIP differently.
  public var container = BackupFormat.Container.json
  /// The current time that steps fill in: one clock for the whole run.
  public var now: Instant
  public var layout = JSONEventWriter.Layout.compact
  /// Compresses the output; `nil`: if the file's name ends in `.lz4`.
  public var compression: LZ4Level?
  public var limits = ReaderLimits()
  /// Memory for a record that a step changes, and for the document without its collections: more is an error.
  public var heldSize = 256 << 20
  /// Threads, memory, temporary files, cancellation and progress.
  public var execution = Execution()
  /// How collections are sliced; `nil`: they are not. Never affects the results.
  package var slices: Slicer.Options? = Slicer.Options()

  /// Options with the current time, and the defaults above.
  public init(now: Instant) { self.now = now }

  var pass: PassOptions {
    var pass = PassOptions(execution)
    pass.limits = limits
    pass.slices = slices
    return pass
  }

  var formatLayout: FormatLayout {
    switch layout {
    case .compact: .compact
    case .pretty(let indent): .pretty(indent: indent)
    }
  }
}
