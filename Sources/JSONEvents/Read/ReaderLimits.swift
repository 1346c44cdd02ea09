/// What a reader refuses, so that no document can make it grow without bound, and how much it reads at a time.
public struct ReaderLimits: Sendable {
  /// How many brackets may be open at once.
  public var depth: Int = 512
  /// How many bytes a string, a key or a number may have.
  public var tokenSize: Int = 64 << 20
  /// How many bytes a line of JSON Lines may have, which is read as a whole: at most 1 GiB.
  public var lineSize: Int = 64 << 20
  /// How many bytes are asked of the source at once. Results never depend on it. 64 KiB and its events stay in a core's own cache.
  public var chunkSize: Int = 64 << 10

  public init() {}
}
