package import BackupFormats
package import ByteStreams
import CompressedStreams
package import SystemPackage
import ZIPArchives

/// A backup to import: a file, or standard input. Its document can be read repeatedly.
///
/// A file is opened once and read in place; a stream is copied, to an unnamed temporary file if it has 1 MiB or more.
///
/// For example:
///
///     let source = try BackupSource("backup.zip", .detected(catalog))
///     let contained = …                          // a pass over source.document(), with its claims and watched values
///     let report = try source.report(around: contained, by: validator)
package struct BackupSource {
  /// The file's path, or `standard input`.
  package let name: String
  /// The archive with the document, or `nil` if the document is a separate file.
  package let archive: BackupArchive?
  private let bytes: StoredBytes
  private let execution: Execution

  /// Opens a backup. Checks the directory of an archive.
  ///
  /// - Parameters:
  ///   - path: the file, or `-` for standard input, which is read to its end.
  ///   - rules: the documents that an archive may contain.
  ///   - execution: its cancellation stops opening and reading the document, with the error `cancelled`. Its progress counts all
  ///     bytes that are read.
  ///   - acceptsAnyDocument: see `BackupArchive`.
  /// - Throws: `CofferError` if it can't be read; for an archive, the errors of `BackupArchive`.
  package init(
    _ path: FilePath, _ rules: RuleSource, execution: Execution = Execution(), acceptsAnyDocument: Bool = false
  ) throws {
    let cancellation = execution.cancellation
    let isStandardInput = path == "-"
    let name = isStandardInput ? "standard input" : path.string
    let file =
      isStandardInput
      ? FileSource.standardInput(cancellation: cancellation) : try FileSource(path: path, cancellation: cancellation)
    try self.init(
      try StoredBytes.storing(file, named: name, execution), named: name, rules, execution,
      acceptsAnyDocument: acceptsAnyDocument)
  }

  /// Opens a backup from stored bytes.
  package init(
    _ bytes: StoredBytes, named name: String, _ rules: RuleSource, _ execution: Execution, acceptsAnyDocument: Bool = false
  ) throws {
    self.name = name
    self.execution = execution.unmetered
    self.bytes = bytes
    archive =
      switch try OpenedBackup(StoredSource(bytes), self.execution) {
      case .archive:
        try BackupArchive(
          bytes, rules, limits: ZIPLimits(execution.expansion), acceptsAnyDocument: acceptsAnyDocument)
      case .document: nil
      }
  }

  /// The document's container: some formats treat a separate file and a ZIP entry differently.
  package var container: BackupFormat.Container { archive == nil ? .json : .zip }

  /// The stored size of the backup in bytes.
  package var byteCount: Int { bytes.byteCount }

  /// Returns the document from its start, decompressed.
  ///
  /// - Throws: `CofferError`; for an archive, the errors of `BackupArchive.openDocument()`. Damage is detected only while
  ///   reading.
  package func document() throws -> any ByteSource {
    try archive?.openDocument() ?? StoredSource(bytes).document(execution)
  }

  /// - Throws: `inputChanged` if the file was written to since it was opened: repeated passes may have read different bytes.
  package func checkUnchanged() throws(CofferError) { try bytes.checkUnchanged() }
}

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

/// A kind of file that Coffer doesn't read as a document, recognised by its first bytes. JSON never begins with them.
struct ForeignFile {
  /// The name in messages.
  let name: String
  let code: CofferError.Code
  /// What the user can do.
  private let remedy: String
  private let signature: [UInt8]

  /// The length of the longest signature.
  static let signatureLength = 6

  private static let all = [
    ForeignFile(compression: "xz", program: "unxz", signature: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
    ForeignFile(compression: "bzip2", program: "bunzip2", signature: [0x42, 0x5A, 0x68]),
    ForeignFile(
      name: "a 7z archive", code: .foreignCompression, remedy: "extract the document first (7z x FILE)",
      signature: [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]),
    ForeignFile(
      name: "a SQLite database", code: .sqliteDatabase,
      remedy: "first export a backup from it (coffer export FILE export.json), or in its app",
      signature: Array("SQLite".utf8)),
  ]

  /// - Parameter prefix: the first ``signatureLength`` bytes of the file.
  init?(of prefix: [UInt8]) {
    guard let known = Self.all.first(where: { prefix.starts(with: $0.signature) }) else { return nil }
    self = known
  }

  private init(name: String, code: CofferError.Code, remedy: String, signature: [UInt8]) {
    self.name = name
    self.code = code
    self.remedy = remedy
    self.signature = signature
  }

  private init(compression: String, program: String, signature: [UInt8]) {
    self.init(
      name: "\(compression) data", code: .foreignCompression,
      remedy: "decompress it first (\(program) -c FILE | coffer … -)", signature: signature
    )
  }

  var error: CofferError { CofferError(code, "\(name) is not supported: \(remedy)", at: .init(inputOffset: 0)) }
}
