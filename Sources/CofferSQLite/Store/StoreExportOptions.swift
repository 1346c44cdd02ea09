public import Coffer

/// What an exported document holds.
public struct StoreExportOptions: Sendable {
  /// The collections whose records are written; `nil`: all. The others are empty arrays.
  public var only: CollectionSelection?
  /// When the backup was made, as the document shall say; `nil`: as it says already.
  public var createdAt: Instant?
  /// What made it, and on what; `nil`: as the document says already.
  public var app: String?
  public var device: String?
  /// Ends the export early, with a `CancellationError`.
  public var cancellation: Cancellation?

  public init() {}
}
