public import BackupFormats
public import Coffer

/// The contents of an exported document.
public struct DatabaseExportOptions: Sendable {
  /// The collections whose records are written (default: all). The others are empty arrays.
  public var only: CollectionSelection?
  /// The format to use in place of the rules that the database stores. If `nil`, these count, or else the catalog's format.
  public var format: BackupFormat?
  /// The document's creation date. If `nil`, it is unchanged.
  public var createdAt: Instant?
  /// The document's app and device. If `nil`, they are unchanged.
  public var app: String?
  public var device: String?
  /// The time of this backup, for documents whose settings have the time of the last one. If `nil`, it is unchanged.
  public var backedUpAt: Instant?
  /// Threads, memory, temporary files, cancellation and progress.
  public var execution = Execution()

  public init() {}
}
