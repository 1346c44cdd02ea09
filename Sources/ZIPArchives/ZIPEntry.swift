/// An entry of a ZIP archive, as far as it is known before its data is read.
public struct ZIPEntry: Sendable, Hashable {
  /// The name in the archive, with `/` between folders.
  public let name: String
  /// The expanded size in bytes, or `nil` if the archive only states it after the data.
  public let size: Int?
  /// The compressed size in bytes, if known.
  public let compressedSize: Int?
  /// The offset of its header in the archive, from 0.
  public let offset: Int

  /// True if it is a folder, which has no data.
  public var isFolder: Bool { name.utf8.last == UInt8(ascii: "/") }
}
