public import ByteStreams

/// The limits of an archive. Anything beyond a limit is rejected before it uses memory or disk: sizes are those of the expanded
/// bytes, whatever the archive declares.
///
/// The defaults allow ten thousand photos and archives of many gigabytes.
public struct ZIPLimits: Sendable, Hashable {
  /// The number of entries, including folders. Folders implied by other names are counted separately, up to the same number.
  /// Memory: about 600 bytes plus the name for each.
  public var entries = 100_000
  /// The expanded size of all entries, in bytes.
  public var size = ExpansionLimits().size
  /// The maximum compression ratio of an entry that expands to more than 1 MiB, and of all entries together from that size on.
  public var ratio = ExpansionLimits().ratio
  /// The maximum length of a name with its folders, in bytes; a path component never exceeds 255.
  public var nameLength = 1024

  public init() {}

  /// Creates limits with the same size and ratio as those of compressed documents.
  public init(_ limits: ExpansionLimits) {
    size = limits.size
    ratio = limits.ratio
  }
}
