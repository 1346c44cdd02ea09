import CArchive

/// The only owner of libarchive's reader: decompresses the data of one entry after another.
///
/// Files, too, are read by the reader for streams, which uses the headers before the data. So there is one way to read an archive, and its
/// callers compare the directory with the result.
final class ArchiveHandle {
  private let archive: OpaquePointer?
  private let window: BlockWindow

  enum Status { case good, end, failed, broken }

  init(_ window: BlockWindow) {
    self.window = window
    archive = archive_read_new()
    archive_read_support_format_zip_streamable(archive)
    // ZIPReader checks the checksums, also against the directory.
    archive_read_set_option(archive, "zip", "ignorecrc32", "1")
    let context = Unmanaged.passUnretained(window).toOpaque()
    // Errors of opening are reported by the first read.
    archive_read_set_read_callback(archive) { _, context, bytes in
      guard let context, let bytes else { return -1 }
      guard let block = Unmanaged<BlockWindow>.fromOpaque(context).takeUnretainedValue().next() else { return -1 }
      bytes.pointee = block.baseAddress
      return block.count
    }
    if window.canSkip {
      archive_read_set_skip_callback(archive) { _, context, count in
        guard let context else { return 0 }
        Unmanaged<BlockWindow>.fromOpaque(context).takeUnretainedValue().skip(Int(count))
        return count
      }
    }
    archive_read_set_callback_data(archive, context)
  }

  deinit { archive_read_free(archive) }

  func open() -> Status { status(archive_read_open1(archive)) }

  /// Moves to the next entry, past the rest of this one.
  func nextHeader() -> Status {
    var entry: OpaquePointer?
    return status(archive_read_next_header(archive, &entry))
  }

  /// Returns the next bytes of the entry's data, which are valid until the next call.
  func nextData(_ bytes: inout UnsafeRawBufferPointer) -> Status {
    var start: UnsafeRawPointer?
    var count = 0
    var offset: Int64 = 0
    let status = status(archive_read_data_block(archive, &start, &count, &offset))
    bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    return status
  }

  /// Skips the rest of the entry's data.
  func skipData() -> Status { status(archive_read_data_skip(archive)) }

  /// The number of the archive's bytes that have been read.
  var position: Int { Int(archive_filter_bytes(archive, 0)) }

  /// libarchive's error message.
  var message: String { archive_error_string(archive).map { String(cString: $0) } ?? "unknown error" }

  private func status(_ code: CInt) -> Status {
    switch code {
    // Warnings are about names, times and sizes, which ZIPReader checks.
    case ARCHIVE_OK, ARCHIVE_WARN, ARCHIVE_RETRY: .good
    case ARCHIVE_EOF: .end
    case ARCHIVE_FAILED: .failed
    default: .broken
    }
  }
}
