/// How much an archive may come to. What is past a limit is refused before memory or disk is used for it: sizes are those of the bytes as they are
/// expanded, whatever the archive says.
///
/// The defaults let ten thousand photos and archives of many gigabytes through.
public struct ZIPLimits: Sendable, Hashable {
  /// Entries, folders among them; folders that entries lie in count by themselves, up to as many. Memory: what is kept of each is some 600 bytes and its
  /// name.
  public var entries = 100_000
  /// Bytes of all entries, expanded.
  public var size = 1 << 40
  /// How many times its compressed size one entry may come to, once it has come to 1 MiB.
  public var ratio = 200
  /// Bytes of a name, with its folders; a part of it is never longer than 255.
  public var nameLength = 1024

  public init() {}

  /// Small entries are harmless whatever their ratio.
  static let ratioFloor = 1 << 20
}
