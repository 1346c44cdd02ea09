import ByteStreams
import CompressedStreams
import ZIPArchives

/// A backup whose container and compression are known: the first step of every verb.
///
///     bytes ─▶ OpenedBackup: container, compression ─▶ IdentifiedDocument: syntax, format, rules ─▶ verb
///
/// Opening looks at the first bytes; the reader of the document or archive gets all bytes.
enum OpenedBackup {
  /// A document, decompressed as it is read.
  case document(Decompression)
  case archive(OpenedArchive)

  /// - Parameter execution: its progress counts the stored bytes that have been read; its limits are those of decompressing.
  /// - Throws: `foreignCompression` for a compression that Coffer doesn't support, `sqliteDatabase`; `CofferError` for unreadable
  ///   bytes.
  init(_ source: some ByteSource, _ execution: Execution) throws(CofferError) {
    let progress = execution.progress
    let file = source as? FileSource
    let stored = file.flatMap { StoredBytes($0, progress: progress) } ?? (source as? StoredSource)?.unread
    if let count = stored?.byteCount ?? file?.byteCount { progress?.expect(count) }
    var source: any ByteSource = stored?.isMetered == true && file == nil ? source : source.metered(by: progress)
    let prefix = try source.readPrefix(ForeignFile.signatureLength)
    if let foreign = ForeignFile(of: prefix) { throw foreign.error }
    let whole = PrefixedSource(prefix: prefix, rest: source)
    if ZIPReader.isArchive(prefix) {
      self = .archive(OpenedArchive(stored: stored, stream: whole))
    } else {
      self = .document(try Decompression(whole, limits: execution.expansion))
    }
  }

  /// Returns the message for a ZIP archive where a document is required.
  ///
  /// - Parameter name: the archive's name.
  static func archiveRefusal(of name: String) -> String {
    "\(name) is a ZIP archive: unpack it (coffer unpack), and use the document in it instead"
  }
}

/// A ZIP archive of which no entry has been read.
struct OpenedArchive {
  /// `nil` if the archive can be read only once.
  let stored: StoredBytes?
  fileprivate let stream: any ByteSource

  fileprivate init(stored: StoredBytes?, stream: any ByteSource) {
    self.stored = stored
    self.stream = stream
  }

  /// Returns a reader of its entries. It checks a file's directory now, and that of a stream after the last entry.
  func reader(limits: ZIPLimits, faults: ZIPReader.Faults) throws(CofferError) -> ZIPReader {
    var options = ZIPReader.Options()
    options.limits = limits
    options.faults = faults
    if let stored { return try ZIPReader(stored, options: options) }
    return ZIPReader(stream, options: options)
  }
}

extension ByteSource {
  /// Returns the document in these bytes, decompressed.
  ///
  /// - Throws: `zipArchive` for a ZIP archive; otherwise as `OpenedBackup`.
  func document(_ execution: Execution) throws(CofferError) -> any ByteSource {
    switch try OpenedBackup(self, execution) {
    case .document(let document): return document.source
    case .archive:
      throw CofferError(.zipArchive, OpenedBackup.archiveRefusal(of: "this"), at: .init(inputOffset: 0))
    }
  }
}
