package import BackupFormats
package import ByteStreams
import LZ4Streams
package import SystemPackage
package import ZIPArchives

/// A backup that is imported: a file, or what comes by standard input, whose document can be read as often as wanted.
///
/// A file is opened once and read in place; a stream is copied, to a temporary file without a name if it has 1 MiB or more.
///
/// For example:
///
///     let source = try BackupSource("backup.zip", .detected(catalog))
///     let contained = …                          // a pass over source.document(), with its claims and watched values
///     let report = try source.report(around: contained, by: validator)
package struct BackupSource {
  /// The kind of a backup, recognised by its first bytes.
  package enum Kind: String, Sendable {
    case json
    case lz4
    case zip
  }

  /// The file's path, or `standard input`.
  package let name: String
  package let kind: Kind
  /// The archive with the document; `nil` if the document is a file of its own.
  package let archive: BackupArchive?
  private let bytes: StoredBytes

  /// Opens a backup. Of an archive, the directory is checked.
  ///
  /// - Parameters:
  ///   - path: `-` is standard input, which is read to its end.
  ///   - rules: which documents an archive may hold.
  ///   - limits: the limits of an archive.
  ///   - execution: its cancellation stops this, and reading the document, with the error `cancelled`.
  /// - Throws: `ByteStreamError` for what can't be read; for an archive as `BackupArchive`.
  package init(
    _ path: FilePath, _ rules: RuleSource, limits: ZIPLimits = ZIPLimits(), execution: Execution = Execution()
  ) throws {
    let cancellation = execution.cancellation
    let isStandardInput = path == "-"
    let name = isStandardInput ? "standard input" : path.string
    let file =
      isStandardInput
      ? FileSource.standardInput(cancellation: cancellation) : try FileSource(path: path, cancellation: cancellation)
    let bytes =
      try StoredBytes(file)
      ?? StoredBytes(
        copying: file, named: name, in: execution.temporaryFolder, cancellation: cancellation)
    try self.init(bytes, named: name, rules, limits)
  }

  /// The same of bytes that are there.
  package init(
    _ bytes: StoredBytes, named name: String, _ rules: RuleSource, _ limits: ZIPLimits = ZIPLimits()
  ) throws {
    self.name = name
    self.bytes = bytes
    var start = StoredSource(bytes)
    if ZIPReader.isArchive(try start.readPrefix(4)) {
      kind = .zip
      archive = try BackupArchive(bytes, rules, limits: limits)
    } else {
      kind = try LZ4Source.detecting(StoredSource(bytes)) is LZ4Source ? .lz4 : .json
      archive = nil
    }
  }

  /// The document's container: some formats treat a file of its own and an entry of a ZIP differently.
  package var container: BackupFormat.Container { archive == nil ? .json : .zip }

  /// The number of bytes of the backup as it is stored.
  package var byteCount: Int { bytes.byteCount }

  /// The document's size in bytes, if it is known before reading: not for LZ4 data.
  package var documentByteCount: Int? {
    switch kind {
    case .json: bytes.byteCount
    case .lz4: nil
    case .zip: archive?.document.size
    }
  }

  /// The document, from its start: expanded if it was compressed.
  ///
  /// - Throws: `ByteStreamError`; for an archive as `BackupArchive.openDocument()`. Damage shows while it is read.
  package func document() throws -> any ByteSource {
    try archive?.openDocument() ?? LZ4Source.detecting(StoredSource(bytes))
  }

  /// The document's report, and of an archive what else is to be said of it: its entries are read for that, the document isn't.
  ///
  /// - Parameters:
  ///   - document: what a pass over ``document()`` came to, with its format, claims and watched values.
  ///   - validator: of the same rules and options as that pass.
  /// - Throws: as `Validator.validate`.
  package func report(around document: ContainedDocument, by validator: Validator) throws -> ValidationReport {
    guard let archive else { return document.report }
    return try validator.validate(archive, around: document, named: name)
  }

  /// - Throws: `inputChanged` if the file was written to since it was opened: what was read more than once may not have been the same.
  package func checkUnchanged() throws(ByteStreamError) { try bytes.checkUnchanged() }
}
