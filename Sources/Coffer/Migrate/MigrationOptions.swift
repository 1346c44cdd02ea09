public import BackupFormats
public import ByteStreams
public import JSONEvents
public import LZ4Streams
public import Rules

/// How a document is migrated.
public struct MigrationOptions: Sendable {
  /// The version to stop at; `nil`: the current one.
  public var version: Int?
  /// What the document stands in: a file of its own, or a ZIP, whose documents some formats treat otherwise.
  public var container = BackupFormat.Container.json
  /// What is filled in as the present time: one clock for the whole run.
  public var now: Instant
  public var layout = JSONEventWriter.Layout.compact
  /// Compresses what is written; `nil`: where a file's name ends in `.lz4`, else not.
  public var compression: LZ4Level?
  public var limits = ReaderLimits()
  /// How much memory a record may take that a step is for, and what stands outside of all collections: more is an error.
  public var heldSize = 256 << 20
  /// Threads, memory, temporary files, cancellation and progress.
  public var execution = Execution()
  /// How collections are cut; `nil`: they are not. Results never depend on it.
  package var slices: Slicer.Options? = Slicer.Options()

  /// Options of which nothing is told but the present, in all else as they stand above.
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
