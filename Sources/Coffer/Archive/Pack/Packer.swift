import BackupFormats
public import ByteStreams
import CompressedStreams
public import Findings
import JSONEvents
import Rules
public import SystemPackage
public import ZIPArchives

/// Creates a backup's archive from its document and the files that the document names.
///
/// For example:
///
///     var options = Packer.Options(.detected(.builtIn), now: now)
///     var file = try AtomicFile("backup.zip")
///     try Packer(options: options).pack(folder: "backup", to: &file)
///     try file.commit()
///
/// The document comes first, decompressed if it is compressed, then all other files in the order of their names. Documents are
/// compressed, photos are stored. The same files always produce the same archive. The files are checked against the document:
/// if one is missing, or a side document such as `manifest.json` contradicts it, no archive is created.
///
/// Cost: one pass, two over files of more than 16 MiB. Memory: 16 MiB, and the data that `ZIPWriter` keeps for each file.
public struct Packer {
  /// Options for packing a backup.
  public struct Options: Sendable {
    /// The formats whose archives can be created.
    public var rules: RuleSource
    /// The value of `now` in the rules.
    public var now: Instant
    /// The check of the files against the document.
    public var check = Check.files
    /// Every entry's modification time in the archive: it isn't taken from a clock, so the same files produce the same archive.
    public var time = ZIPTime.earliest
    /// Threads, memory, temporary files, cancellation and progress.
    public var execution = Execution()

    public init(_ rules: RuleSource, now: Instant) {
      self.rules = rules
      self.now = now
    }
  }

  /// How files are checked against the document.
  public enum Check: Sendable {
    /// No check: the document is read only to detect its format.
    case nothing
    /// Checks that the files in the document exist, with the given sizes and digests, and that side documents agree with it.
    case files
    /// Checks the files in the same way, but creates the archive despite findings.
    case noted
  }

  /// The result of packing.
  public struct Contents: Sendable, Encodable {
    /// The name of the document's format.
    public var format = ""
    /// The number of files, including the document.
    public var files = 0
    /// The total uncompressed size of the files, in bytes.
    public var bytes = 0
    /// The number of files left out because no record names them.
    public var leftOut = 0
    /// The findings in the document's order: files that no record names, and sizes that differ from the document's. Only
    /// ``Check/noted`` allows errors here.
    public var findings: [Finding] = []
  }

  private let options: Options
  private static let memoryLimit = 16 << 20

  public init(options: Options) { self.options = options }

  /// Packs a folder with a whole backup, such as `Unpacker` creates.
  ///
  /// - Parameters:
  ///   - folder: the folder with the document, under its name in archives of its format, and the other files.
  ///   - sink: the output. Discard its content if an error is thrown.
  /// - Throws: `CofferError`, including for names that archives can't have, and files that change while they are read;
  ///   `CancellationError`.
  @discardableResult
  public func pack(folder: FilePath, to sink: inout some ByteSink) throws -> Contents {
    let tree = try FileTree(folder)
    let formats = try self.formats()
    let names = Set(formats.compactMap { $0.archive?.metadata })
    let documents = tree.files.filter { names.contains($0.name) }
    guard let document = documents.first, documents.count == 1 else {
      let list = ArchiveFormats.documentNames(of: formats)
      throw CofferError(
        .notABackup, documents.isEmpty ? "\(folder) has no \(list)" : "\(folder) has several possible documents: \(list)")
    }
    let candidates = formats.filter { $0.archive?.metadata == document.name }
    return try pack(file(document.path), candidates, to: &sink) { _, _ in
      PackedFiles(tree.files.filter { $0.name != document.name })
    }
  }

  /// Packs a document and a folder of the files that it names.
  ///
  /// - Parameters:
  ///   - metadata: the document, with any name; its format determines its name in the archive. Side documents are files beside it.
  ///   - folder: the files, which are named as in the format's archives.
  ///   - sink: the output.
  /// - Throws: the errors of ``pack(folder:to:)``.
  @discardableResult
  public func pack(metadata: FilePath, files folder: FilePath, to sink: inout some ByteSink) throws -> Contents {
    try pack(file(metadata), formats(), to: &sink) { layout, _ in
      PackedFiles(
        try FileTree(folder, prefix: layout.files).files
          + layout.documents.compactMap { side in
            FileTree.File(named: side.name, at: metadata.removingLastComponent().appending(side.name))
          })
    }
  }

  /// Packs a document that has just been written, and the archive's other files.
  ///
  /// Side documents are updated (``SideDocument``). Files that no record names are left out: they belonged to removed
  /// records.
  ///
  /// - Parameters:
  ///   - document: the document, of the format in the options.
  ///   - folder: the other files, by their names in the archive, or `nil` if there are none.
  ///   - sink: the output.
  /// - Throws: the errors of ``pack(folder:to:)``.
  package func pack(
    _ document: StoredBytes, files folder: FilePath?, to sink: inout some ByteSink
  ) throws -> Contents {
    var leftOut = 0
    var contents = try pack(document, formats(), to: &sink) { layout, contained in
      let found = try folder.map { try FileTree($0).files.filter { $0.name != layout.metadata } } ?? []
      let named = layout.files.isEmpty ? nil : contained.claims?.names
      let kept = found.filter { file in named.map { !file.name.hasPrefix(layout.files) || $0.contains(file.name) } ?? true }
      leftOut = found.count - kept.count
      var files = PackedFiles(kept)
      try files.update(by: layout, contained.watched)
      return files
    }
    contents.leftOut = leftOut
    return contents
  }

  // MARK: Contents

  private func file(_ path: FilePath) throws(CofferError) -> StoredBytes {
    try .storing(FileSource(path: path, cancellation: options.execution.cancellation), named: path.string)
  }

  private func formats() throws(CofferError) -> [BackupFormat] {
    try ArchiveFormats(options.rules).formats
  }

  private func layout(of format: BackupFormat) throws(CofferError) -> ArchiveLayout {
    if let layout = format.archive { return layout }
    throw CofferError(.notABackup, "backups of the format \(format.name) can't be archives")
  }

  /// Returns the document's format, its claims about the files, and its uncompressed size.
  private func inspect(_ document: StoredBytes, _ formats: [BackupFormat]) throws -> (ValidatedDocument, BackupFormat) {
    var validation = ValidationOptions(now: options.now)
    validation.execution = options.execution.unmetered
    validation.syntax = .json
    // The file's name is arbitrary: the format, if not given, is detected from the content.
    let rules = if case .format = options.rules { options.rules } else { RuleSource.detected(FormatCatalog(formats)) }
    let validator = Validator(rules, options: validation)
    let source = try StoredSource(document).metered(by: options.execution.progress).document(options.execution.unmetered)
    let contained = try validator.validate(OpenedDocument(source, named: document.name, in: .zip))
    if let error = contained.report.error { throw error.inDocument(document.name) }
    guard let format = contained.format else {
      let names = formats.map(\.name).joined(separator: ", ")
      throw CofferError(.notABackup, "\(document.name) has none of the formats that can be archives (\(names))")
    }
    return (contained, format)
  }

  /// - Parameter gather: finds the archive's other files, some of which the document describes.
  private func pack(
    _ document: StoredBytes, _ formats: [BackupFormat], to sink: inout some ByteSink,
    gather: (ArchiveLayout, ValidatedDocument) throws -> PackedFiles
  ) throws -> Contents {
    let progress = options.execution.progress
    progress?.begin("checking the document", byteCount: document.byteCount)
    let (contained, format) = try inspect(document, formats)
    let layout = try layout(of: format)
    let files = try gather(layout, contained)
    var contents = Contents()
    contents.format = format.name
    var facts: [String: EntryFacts] = [:]
    for file in files.all { facts[file.name] = EntryFacts(size: Int64(file.size)) }
    progress?.begin(byteCount: files.all.reduce(document.byteCount) { $0 &+ $1.size })
    // Detect missing files before reading any.
    let sides = options.check == .nothing ? FindingCollector(limit: .max) : try checkSides(layout, files, contained)
    try check(contained.claims, facts, sides, format, &contents)

    let isSide = { (name: String) in layout.documents.contains { $0.name == name } }
    let ordered = files.all.filter { isSide($0.name) } + files.all.filter { !isSide($0.name) }
    let digests = EntryDigests(options.check == .nothing ? [] : format.rules.entryDigests, jobs: options.execution.jobs)
    var writerOptions = ZIPWriter<BorrowedSink>.Options()
    writerOptions.time = options.time
    try withoutActuallyEscaping({ (bytes: UnsafeRawBufferPointer) throws(CofferError) in try sink.write(bytes) }) { write in
      var writer = ZIPWriter(to: BorrowedSink(write: write), options: writerOptions)
      var numbers: [String: Int] = [:]
      try writer.addCompressed(layout.metadata, from: try content(of: document), size: contained.report.bytes)
      contents.bytes = contained.report.bytes
      for file in ordered {
        try options.execution.cancellation.check()
        if let text = files.updated[file.name] {
          try writer.addCompressed(file.name, from: MemorySource(text), size: text.count)
          contents.bytes += text.count
          continue
        }
        numbers[file.name] = digests.begin()
        try add(file, to: &writer, digests)
        digests.end()
        contents.bytes += file.size
      }
      contents.files = 1 + ordered.count
      try writer.finish()
      let found = digests.finish()
      for file in files.all { facts[file.name]?.digests = numbers[file.name].flatMap { found[$0] } ?? [:] }
    }
    try check(contained.claims, facts, sides, format, &contents)
    return contents
  }

  /// Returns the findings in the side documents.
  private func checkSides(_ layout: ArchiveLayout, _ files: PackedFiles, _ contained: ValidatedDocument) throws
    -> FindingCollector
  {
    var collector = FindingCollector(limit: .max)
    for (side, values) in layout.documents(agreeingWith: contained.watched) {
      guard let bytes = try files.content(of: side) else {
        if side.isRequired {
          let message = "the archive would have no \(side.name)"
          collector.add(ArchiveFindings.finding("file-missing", .error, message, entry: side.name))
        }
        continue
      }
      var check = SideDocumentCheck(side: side, bytes: bytes, entry: side.name, options: ValidationOptions(now: options.now))
      try check.run(values, isComplete: true)
      let path = files.file(of: side)?.path.string ?? side.name
      if let error = check.error { throw error.inDocument(path) }
      // Its places are in another file than those of the document.
      if options.check == .files { try Self.refuse(check.collector, in: path) }
      collector.merge(check.collector)
    }
    return collector
  }

  /// - Throws: `CofferError` with the code `findings` if there are errors.
  private static func refuse(_ collector: FindingCollector, in name: String) throws(CofferError) {
    guard collector.counts.count(.error) > 0 else { return }
    var report = ValidationReport(file: name)
    report.format = "document and files"
    report.findings = collector.findings().filter { $0.severity == .error }
    report.counts = collector.counts
    throw CofferError(
      .findings, "the document and the files don't match: nothing was packed", underlying: FindingsError(report: report))
  }

  /// - Parameter sides: the findings in the side documents.
  private func check(
    _ claims: EntryClaims?, _ facts: [String: EntryFacts], _ sides: FindingCollector, _ format: BackupFormat,
    _ contents: inout Contents
  ) throws(CofferError) {
    guard options.check != .nothing, let layout = format.archive else { return }
    var collector = sides
    if let claims, format.rules.namesEntries {
      collector.merge(claims.findings { facts[$0] })
      let claimed = claims.names
      for name in facts.keys where !claimed.contains(name) && !layout.documents.contains(where: { $0.name == name }) {
        collector.add(ArchiveFindings.finding("file-extra", .warning, "no record names this file", entry: name))
      }
    }
    contents.findings = collector.findings()
    if options.check == .files { try Self.refuse(collector, in: format.archive?.metadata ?? format.name) }
  }

  // MARK: Files

  /// Returns the document as archives store it: plain JSON.
  private func content(of document: StoredBytes) throws -> any ByteSource {
    let source = DigestedSource(source: StoredSource(document), digests: nil, execution: options.execution)
    return try Decompression(source, limits: options.execution.expansion).source
  }

  private func add<S: ByteSink>(_ file: FileTree.File, to writer: inout ZIPWriter<S>, _ digests: EntryDigests) throws {
    let content = try FileSource(path: file.path, cancellation: options.execution.cancellation)
    let source = DigestedSource(source: content, digests: digests, execution: options.execution)
    if file.isText { return try writer.addCompressed(file.name, from: source, size: file.size) }
    if file.size <= Self.memoryLimit {
      var whole = source
      // Read one byte more to detect that it grew.
      let bytes = try whole.readPrefix(file.size + 1)
      try writer.addStored(file.name, size: bytes.count, checksum: CRC32(of: bytes), from: MemorySource(bytes))
    } else {
      var checksum = CRC32()
      var size = 0
      var first = try FileSource(path: file.path, cancellation: options.execution.cancellation)
      while case let piece = try first.readPrefix(1 << 18), !piece.isEmpty {
        try options.execution.cancellation.check()
        piece.withUnsafeBytes { checksum.add($0) }
        size += piece.count
      }
      try writer.addStored(file.name, size: size, checksum: checksum, from: source)
    }
  }
}

/// A sink owned by the caller.
private struct BorrowedSink: ByteSink {
  let write: (UnsafeRawBufferPointer) throws(CofferError) -> Void

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) { try write(bytes) }
}

extension SideDocument {
  /// Makes a side document agree with the archive's document: for example, on the number of photos after some were added.
  ///
  /// Everything else is kept, such as the app's name and unknown members. A document that already agrees is copied byte for byte;
  /// any other is rewritten, with its numbers' original text.
  ///
  /// - Parameter values: the values of the archive's document, in the order of the agreements.
  /// - Throws: `CofferError` if the side document isn't JSON.
  func updated(_ bytes: [UInt8], by values: [WatchedValue]) throws -> [UInt8] {
    var limits = ReaderLimits()
    limits.depth = JSONValue.depthLimit
    var root = try JSONValue.read(MemorySource(bytes), limits: limits)
    var isChanged = false
    for (agreement, watched) in zip(agreements, values) {
      guard let value = watched.value, let tokens = agreement.pointer.pointerTokens else { continue }
      root.update(at: tokens[...]) { old in
        if watched.agrees(with: old) { return }
        old = value
        isChanged = true
      }
    }
    return isChanged ? Array((root.text + "\n").utf8) : bytes
  }
}

extension JSONValue.Located {
  /// Changes the value at a place. Doesn't add a missing value: the rules report it.
  fileprivate mutating func update(at tokens: ArraySlice<String>, _ change: (inout JSONValue) -> Void) {
    guard let token = tokens.first else { return change(&value) }
    guard case .object(var members) = value, let index = members.lastIndex(where: { $0.key == token }) else { return }
    members[index].value.update(at: tokens.dropFirst(), change)
    value = .object(members)
  }
}

extension WatchedValue {
  /// `nil` for arrays and objects, whose content isn't known.
  fileprivate var value: JSONValue? {
    switch self {
    case .absent, .null: .null
    case .boolean(let value): .boolean(value)
    case .number(let text): .number(text)
    case .string(let text): .string(text)
    case .container: nil
    }
  }
}
