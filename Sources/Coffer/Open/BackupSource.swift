package import BackupFormats
package import ByteStreams
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

  /// Returns the document's report, with the findings of an archive's other entries. Reads those entries, but not the document.
  ///
  /// - Parameters:
  ///   - document: the result of a pass over ``document()``, with its format, claims and watched values.
  ///   - validator: a validator with the rules and options of that pass.
  /// - Throws: the errors of `Validator.validate`.
  package func report(around document: ContainedDocument, by validator: Validator) throws -> ValidationReport {
    guard let archive else { return document.report }
    return try validator.validate(archive, around: document, named: name)
  }

  /// - Throws: `inputChanged` if the file was written to since it was opened: repeated passes may have read different bytes.
  package func checkUnchanged() throws(CofferError) { try bytes.checkUnchanged() }
}
