/// Limits that bound a reader's memory for any document, and the number of bytes read at a time.
public struct ReaderLimits: Sendable {
  /// The maximum number of open brackets.
  public var depth: Int = 512
  /// The maximum number of bytes of a string, a key or a number.
  public var tokenSize: Int = 64 << 20
  /// The maximum number of bytes of a JSON Lines line, which is read as a whole: at most 1 GiB.
  public var lineSize: Int = 64 << 20
  /// The number of bytes per read. Results never depend on it. 64 KiB and their events fit into a core's own cache.
  public var chunkSize: Int = 64 << 10

  public init() {}
}
