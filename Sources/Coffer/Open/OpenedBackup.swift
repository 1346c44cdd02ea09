package import BackupFormats
package import ByteStreams
import CompressedStreams
package import JSONEvents
package import SystemPackage
import ZIPArchives

/// A backup whose container and compression are known: the first step of every verb.
///
///     bytes ─▶ OpenedBackup: container, compression ─▶ OpenedDocument ─▶ IdentifiedDocument: format, rules ─▶ verb
///
/// Opening looks at the first bytes; the reader of the document or archive gets all bytes.
///
/// For example:
///
///     let backup = try OpenedBackup("backup.zip", .detected(catalog))
///     let result = try validator.validate(backup.document())
///     let report = try validator.report(on: backup, around: result)
package struct OpenedBackup {
  /// The file's path, or `standard input`.
  package let name: String
  /// Some formats treat a separate document and a ZIP entry differently.
  package let container: BackupFormat.Container
  /// The compression of a separate document.
  package let compression: CompressionFormat?
  /// The bytes, if they can be read again.
  package let stored: StoredBytes?
  /// True if the bytes are stored: the document can be read repeatedly.
  private let isKept: Bool
  /// The archive with the document, if its directory has been read.
  package private(set) var archive: BackupArchive?
  /// True if the bytes are those of a ZIP archive.
  let isArchive: Bool
  private let execution: Execution
  /// Opens the archive or the decompressed document, which is read once if it isn't stored.
  private let open: () throws -> any ByteSource

  /// Opens a backup to be read once. A regular file, memory that is kept, and stored bytes can be read again.
  ///
  /// - Parameters:
  ///   - execution: its progress counts the stored bytes that are read; its limits are those of decompressing.
  ///   - keeps: true to copy a stream, to an unnamed temporary file if it has 1 MiB or more, so that it can be read again.
  /// - Throws: `foreignCompression` for a compression that Coffer doesn't support, `sqliteDatabase`; `CofferError` for unreadable
  ///   bytes.
  init(_ source: some ByteSource, named name: String, _ execution: Execution, keeps: Bool = false) throws(CofferError) {
    if keeps {
      try self.init(opening: StoredSource(.storing(source, named: name, execution)), named: name, execution.unmetered)
    } else {
      try self.init(opening: source, named: name, execution)
    }
  }

  private init(opening source: any ByteSource, named name: String, _ execution: Execution) throws(CofferError) {
    let progress = execution.progress
    let file = source as? FileSource
    let stored = file.flatMap { StoredBytes($0, progress: progress) } ?? (source as? StoredSource)?.unread
    if let count = stored?.byteCount ?? file?.byteCount { progress?.expect(count) }
    var source: any ByteSource = stored?.isMetered == true && file == nil ? source : source.metered(by: progress)
    let prefix = try source.readPrefix(ForeignFile.signatureLength)
    if let foreign = ForeignFile(of: prefix) { throw foreign.error }
    let whole = PrefixedSource(prefix: prefix, rest: source)
    self.name = name
    self.stored = stored
    isKept = file == nil && stored != nil
    self.execution = execution
    isArchive = ZIPReader.isArchive(prefix)
    container = isArchive ? .zip : .json
    let document = isArchive ? nil : try Decompression(whole, limits: execution.expansion)
    compression = document?.format
    open = { document?.source ?? whole }
  }

  /// Opens a document that is read repeatedly.
  ///
  /// - Parameter open: opens the document, plain or compressed, from its start.
  package init(
    named name: String, in container: BackupFormat.Container = .json, _ execution: Execution = Execution(),
    reopening open: @escaping () throws -> any ByteSource
  ) {
    self.name = name
    self.container = container
    self.execution = execution
    self.open = { try Decompression(open(), limits: execution.expansion).source }
    compression = nil
    stored = nil
    isKept = false
    isArchive = false
  }

  /// Opens a backup that is read repeatedly: a file, or standard input, which is copied. Checks the directory of an archive.
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
    let file = try FileSource(argument: path.string, cancellation: execution.cancellation)
    let name = FileSource.name(ofArgument: path.string)
    try self.init(.storing(file, named: name, execution), named: name, rules, execution, acceptsAnyDocument: acceptsAnyDocument)
  }

  /// Opens stored bytes.
  package init(
    _ bytes: StoredBytes, named name: String, _ rules: RuleSource, _ execution: Execution, acceptsAnyDocument: Bool = false
  ) throws {
    try self.init(opening: StoredSource(bytes), named: name, execution.unmetered)
    if container == .zip {
      archive = try BackupArchive(
        bytes, rules, limits: ZIPLimits(execution.expansion), acceptsAnyDocument: acceptsAnyDocument)
    }
  }

  /// The stored size of the backup in bytes, if it is known.
  package var byteCount: Int? { stored?.byteCount }

  /// Returns the document from its start, decompressed.
  ///
  /// - Throws: `zipArchive` for an archive whose directory hasn't been read; `CofferError`; for an archive, the errors of
  ///   `BackupArchive.openDocument()`. Damage is detected only while reading.
  package func document() throws -> OpenedDocument {
    if let archive { return OpenedDocument(try archive.openDocument(), named: name, in: .zip) }
    if isArchive { throw CofferError(.zipArchive, Self.archiveRefusal(of: "this"), at: .init(inputOffset: 0)) }
    guard isKept, let stored else { return OpenedDocument(try open(), named: name, in: container) }
    let source = try Decompression(StoredSource(stored), limits: execution.expansion).source
    return OpenedDocument(source, named: name, in: container)
  }

  /// Returns a reader of an archive's entries. It checks a file's directory now, and that of a stream after the last entry.
  func reader(faults: ZIPReader.Faults) throws -> ZIPReader {
    var options = ZIPReader.Options()
    options.limits = ZIPLimits(execution.expansion)
    options.faults = faults
    if let stored { return try ZIPReader(stored, options: options) }
    return ZIPReader(try open(), options: options)
  }

  /// Returns the bytes of an archive. Those of a stream are copied.
  func storedArchive() throws -> StoredBytes { try stored ?? .storing(open(), named: name, execution) }

  /// - Throws: `inputChanged` if the file was written to since it was opened: repeated passes may have read different bytes.
  package func checkUnchanged() throws(CofferError) { try stored?.checkUnchanged() }

  /// Returns the message for a ZIP archive where a document is required.
  ///
  /// - Parameter name: the archive's name.
  static func archiveRefusal(of name: String) -> String {
    "\(name) is a ZIP archive: unpack it, and use the document in it instead"
  }
}

/// A document from its start, decompressed, and where it comes from.
package struct OpenedDocument {
  package let source: any ByteSource
  /// The file's name, which decides the syntax, and shows the format of an empty file.
  package let name: String
  package let container: BackupFormat.Container

  package init(_ source: any ByteSource, named name: String, in container: BackupFormat.Container = .json) {
    self.source = source
    self.name = name
    self.container = container
  }

  /// - Parameter given: the syntax that the caller names. An archive's document is JSON, whatever the archive is called.
  package func syntax(_ given: JSONSyntax?) -> JSONSyntax { container == .zip ? .json : given ?? JSONSyntax(ofFileNamed: name) }
}

extension ByteSource {
  /// Returns the document in these bytes, decompressed.
  ///
  /// - Throws: `zipArchive` for a ZIP archive; otherwise as `OpenedBackup`.
  func document(_ execution: Execution) throws -> any ByteSource {
    try OpenedBackup(self, named: "this", execution).document().source
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
    // Bare zlib streams at the usual levels.
    ForeignFile(compression: "zlib", program: "pigz -dz", signature: [0x78, 0x01]),
    ForeignFile(compression: "zlib", program: "pigz -dz", signature: [0x78, 0x5E]),
    ForeignFile(compression: "zlib", program: "pigz -dz", signature: [0x78, 0x9C]),
    ForeignFile(compression: "zlib", program: "pigz -dz", signature: [0x78, 0xDA]),
    ForeignFile(
      name: "a 7z archive", code: .foreignCompression, remedy: "extract the document first (7z x FILE)",
      signature: [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]),
    ForeignFile(
      name: "a SQLite database", code: .sqliteDatabase,
      remedy: "first export a backup from it, here or in its app",
      signature: Array("SQLite".utf8)),
  ]

  var error: CofferError { CofferError(code, "\(name) is not supported: \(remedy)", at: .init(inputOffset: 0)) }
}

extension ForeignFile {
  /// - Parameter prefix: the first ``signatureLength`` bytes of the file.
  init?(of prefix: [UInt8]) {
    guard let known = Self.all.first(where: { prefix.starts(with: $0.signature) }) else { return nil }
    self = known
  }

  private init(compression: String, program: String, signature: [UInt8]) {
    self.init(
      name: "\(compression) data", code: .foreignCompression,
      remedy: "decompress it first (\(program) FILE)", signature: signature
    )
  }
}

extension CofferError {
  /// True if the error is about what the caller asked for: the rules, or the choice of collections. All other errors are about
  /// the backup, and end up in reports.
  var concernsRequest: Bool {
    [.invalidRules, .unknownCollection, .noCollections, .invalidPointer, .invalidKey].contains(code)
  }

  /// Creates an error for a report from any error.
  package init(reporting error: any Error) {
    self = error as? CofferError ?? CofferError(.other, "\(error)", underlying: error)
  }
}

extension Execution {
  /// Calls `read`, and returns the error about the backup that ended it, which belongs in a report.
  ///
  /// - Throws: errors that are about the request (`CofferError.concernsRequest`); `CancellationError`; errors of other kinds.
  func reportedError(_ read: () throws -> Void) throws -> CofferError? {
    do {
      try read()
      return nil
    } catch let error as CofferError where !error.concernsRequest {
      try cancellation.check()
      return error
    }
  }
}
