import CArchive

/// The one owner of libarchive's reader: expands the data of one entry after the other.
///
/// It is the reader for streams, which goes by the headers before the data, for files too: so there is one way to read an archive, and what its
/// directory says is held against that by those above.
final class ArchiveHandle {
  private let archive: OpaquePointer?
  private let window: BlockWindow

  enum Status { case good, end, failed, broken }

  init(_ window: BlockWindow) {
    self.window = window
    archive = archive_read_new()
    archive_read_support_format_zip_streamable(archive)
    // What is read here is checked here, against the directory, too.
    archive_read_set_option(archive, "zip", "ignorecrc32", "1")
    let context = Unmanaged.passUnretained(window).toOpaque()
    // What can't be opened says so when it is first read.
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

  /// Goes on to the next entry, past whatever is left of this one.
  func nextHeader() -> Status {
    var entry: OpaquePointer?
    return status(archive_read_next_header(archive, &entry))
  }

  /// The next bytes of the entry's data, which stay until this is called again.
  func nextData(_ bytes: inout UnsafeRawBufferPointer) -> Status {
    var start: UnsafeRawPointer?
    var count = 0
    var offset: Int64 = 0
    let status = status(archive_read_data_block(archive, &start, &count, &offset))
    bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    return status
  }

  /// Passes over the rest of the entry's data.
  func skipData() -> Status { status(archive_read_data_skip(archive)) }

  /// How many of the archive's bytes have been taken.
  var position: Int { Int(archive_filter_bytes(archive, 0)) }

  /// What went wrong, in libarchive's words.
  var message: String { archive_error_string(archive).map { String(cString: $0) } ?? "unknown error" }

  private func status(_ code: CInt) -> Status {
    switch code {
    // A warning is about names, times and sizes, which are looked at here.
    case ARCHIVE_OK, ARCHIVE_WARN, ARCHIVE_RETRY: .good
    case ARCHIVE_EOF: .end
    case ARCHIVE_FAILED: .failed
    default: .broken
    }
  }
}
