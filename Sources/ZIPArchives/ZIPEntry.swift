/// An entry of a ZIP archive, as far as it is known before its data has been read.
public struct ZIPEntry: Sendable, Hashable {
  /// As the archive has it, `/` between folders.
  public let name: String
  /// How many bytes its data comes to; `nil`: the archive says so only behind the data.
  public let size: Int?
  /// How many bytes its data takes in the archive, as far as that is known.
  public let compressedSize: Int?
  /// From 0, in bytes of the archive: where its header stands.
  public let offset: Int

  /// Whether it is a folder, which has no data.
  public var isFolder: Bool { name.utf8.last == UInt8(ascii: "/") }
}
