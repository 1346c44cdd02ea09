public import Coffer

/// The contents of an exported document.
public struct StoreExportOptions: Sendable {
  /// The collections whose records are written (default: all). The others are empty arrays.
  public var only: CollectionSelection?
  /// The date of creation that the document states; `nil`: unchanged.
  public var createdAt: Instant?
  /// The app and the device that the document states; `nil`: unchanged.
  public var app: String?
  public var device: String?
  /// Threads, memory, temporary files, cancellation and progress.
  public var execution = Execution()

  public init() {}
}
