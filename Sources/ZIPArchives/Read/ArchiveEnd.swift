import ByteStreams

/// The records after the directory's headers: their number and the start of the directory (APPNOTE 4.3.14 to 4.3.16).
struct ArchiveEnd {
  private(set) var entryCount: Int
  private(set) var directorySize: Int
  private(set) var directoryOffset: Int
  private(set) var isSplit: Bool
  let commentLength: Int

  /// - Parameter bytes: the end's first 22 bytes, of which the first four, its signature, are ignored.
  init(_ bytes: some RandomAccessCollection<UInt8>) {
    let bytes = Array(bytes)
    isSplit = bytes.number16(at: 4) != 0 || bytes.number16(at: 6) != 0 || bytes.number16(at: 8) != bytes.number16(at: 10)
    entryCount = bytes.number16(at: 10)
    directorySize = bytes.number32(at: 12)
    directoryOffset = bytes.number32(at: 16)
    commentLength = bytes.number16(at: 20)
  }

  /// True if a number may be in the ZIP64 end.
  var needsZIP64: Bool {
    entryCount == ZIPLayout.max16 || directorySize == ZIPLayout.max32 || directoryOffset == ZIPLayout.max32
  }

  /// Returns true if this can be the end of an archive whose directory ends at `place`, but not if it is the end of an archive
  /// inside this one.
  func isEnd(ofDirectoryEndingAt place: Int) -> Bool {
    // Some writers insert unnecessary ZIP64 records.
    let distance = place - (directoryOffset + directorySize)
    return needsZIP64 || distance == 0 || distance == ZIPLayout.end64Length + ZIPLayout.locatorLength
  }

  /// Reads the ZIP64 end; false if its numbers are impossible.
  mutating func take(zip64 bytes: [UInt8]) -> Bool {
    guard let entries = bytes.number64(at: 32), let size = bytes.number64(at: 40), let offset = bytes.number64(at: 48) else {
      return false
    }
    isSplit = bytes.number32(at: 16) != 0 || bytes.number32(at: 20) != 0 || bytes.number64(at: 24) != entries
    // Numbers that fit into the end itself must agree.
    if entryCount != ZIPLayout.max16, entryCount != entries { return false }
    if directorySize != ZIPLayout.max32, directorySize != size { return false }
    if directoryOffset != ZIPLayout.max32, directoryOffset != offset { return false }
    (entryCount, directorySize, directoryOffset) = (entries, size, offset)
    return true
  }
}
