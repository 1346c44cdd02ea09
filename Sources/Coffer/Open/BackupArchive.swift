package import BackupFormats
package import ByteStreams
import CompressedStreams
import Findings
package import ZIPArchives

/// A backup's archive with random access: the document's entry, and the names of the others relative to it.
///
/// Only the directory is read. Readers check the contents of entries.
package struct BackupArchive {
  package let bytes: StoredBytes
  /// All entries in the archive's order, including folders.
  package let entries: [StoredEntry]
  /// The entry that holds the document.
  package let document: StoredEntry
  /// The folder of the whole backup, with its slash; empty if there is none.
  package let topFolder: String
  /// The formats that the document may have, by its name.
  package let formats: [BackupFormat]
  private let limits: ZIPLimits

  /// - Parameters:
  ///   - rules: the available formats.
  ///   - limits: the archive's limits.
  ///   - acceptsAnyDocument: true if the archive's only JSON file is its document, whatever its name, in an archive without a
  ///     document of these formats.
  /// - Throws: `CofferError` for faults of the archive as a whole; `not-a-backup` for an archive without a document, or with
  ///   two.
  package init(
    _ bytes: StoredBytes, _ rules: RuleSource, limits: ZIPLimits = ZIPLimits(), acceptsAnyDocument: Bool = false
  ) throws {
    self.bytes = bytes
    self.limits = limits
    var known = try ArchiveFormats(rules)
    entries = try Self.reader(of: bytes, limits, .refused).storedEntries
    var found: (entry: StoredEntry, formats: [BackupFormat])?
    for entry in entries where !entry.isFolder {
      let candidates = try known.candidates(at: entry.name)
      if !candidates.isEmpty { found = (entry, candidates) }
    }
    if let found {
      document = found.entry
      formats = found.formats
      topFolder = formats.lazy.compactMap { $0.archive?.topFolder(ofMetadata: found.entry.name) }.first ?? ""
    } else {
      guard acceptsAnyDocument else { throw known.noDocument }
      guard let only = try Self.onlyJSON(among: entries) else {
        throw CofferError(.notABackup, "this ZIP archive has no JSON file at its root or in a folder there")
      }
      document = only
      formats = []
      topFolder = only.name.lastIndex(of: "/").map { String(only.name[...$0]) } ?? ""
    }
  }

  /// Returns the only JSON file at the root or, if there is none, in a folder there.
  ///
  /// - Throws: `not-a-backup` if there are several.
  static func onlyJSON(among entries: [StoredEntry]) throws(CofferError) -> StoredEntry? {
    let files = entries.filter { entry in
      !ArchiveFormats.isMacOSMetadata(entry.name) && entry.name.lowercased().hasSuffix(".json")
    }
    for depth in 0...1 {
      let candidates = files.filter { $0.name.count { $0 == "/" } == depth }
      if candidates.count > 1 {
        throw CofferError(
          .notABackup, "the archive has several possible documents: \(candidates[0].name) and \(candidates[1].name)")
      }
      if let only = candidates.first { return only }
    }
    return nil
  }

  /// Returns a reader of the whole archive, from its start.
  package func reader(faults: ZIPReader.Faults = .refused) throws(CofferError) -> ZIPReader {
    try Self.reader(of: bytes, limits, faults)
  }

  private static func reader(
    of bytes: StoredBytes, _ limits: ZIPLimits, _ faults: ZIPReader.Faults
  ) throws(CofferError) -> ZIPReader {
    var options = ZIPReader.Options()
    options.limits = limits
    options.faults = faults
    return try ZIPReader(bytes, options: options)
  }

  /// Returns the document, from its start. Reading it to its end verifies its checksum.
  ///
  /// Faults of other entries are ignored.
  /// - Throws: `CofferError` if the entry can't be read, is an archive, is compressed again, or changed.
  func openDocument() throws -> any ByteSource {
    let reader = try reader(faults: .noted)
    while let entry = try reader.next() {
      if entry.offset == document.offset {
        return VerifiedEntrySource(source: try reader.document(entry), reader: reader, name: entry.name)
      }
      try reader.skip()
    }
    throw CofferError(.inputChanged, "the archive changed while it was being read")
  }

  /// Returns a file's name relative to the document, or `nil` for the document itself, folders, and entries of macOS.
  package func fileName(of entry: String) -> String? {
    if entry == document.name || entry.hasSuffix("/") || ArchiveFormats.isMacOSMetadata(entry) { return nil }
    return entry.hasPrefix(topFolder) ? String(entry.dropFirst(topFolder.count)) : entry
  }
}

extension StoredEntry {
  /// True for a folder, which has no data.
  package var isFolder: Bool { name.utf8.last == UInt8(ascii: "/") }
}

/// The data of an entry. Faults that the archive's reader only notes end the reading here.
private struct VerifiedEntrySource: ByteSource {
  var source: any ByteSource
  let reader: ZIPReader
  let name: String

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let count = try source.read(into: buffer)
    if count == 0, let fault = reader.faults.last, fault.concernsData, fault.place.entry == name { throw fault }
    return count
  }
}

/// The formats that an archive may have, and which of its entries are their documents. All readers and writers of archives use
/// this.
struct ArchiveFormats {
  /// The formats whose backups may be archives.
  let formats: [BackupFormat]
  /// The name of the document's entry, or `nil` before it has been read.
  private(set) var document: String?

  /// - Throws: `not-a-backup` if the rules allow no archives.
  init(_ rules: RuleSource) throws(CofferError) {
    switch rules {
    case .detected(let catalog): formats = catalog.formats.filter { $0.archive != nil }
    case .format(let format):
      guard format.archive != nil else {
        throw Self.notABackup("backups of the format \(format.name) can't be ZIP archives")
      }
      formats = [format]
    case .document:
      throw Self.notABackup("the rules don't describe a ZIP archive's content: use a format descriptor with backup.archive")
    }
  }

  /// Takes the next entry's name. Returns the formats whose document it would be, none if it is another file.
  ///
  /// - Throws: `not-a-backup` if there already was a document.
  mutating func candidates(at name: String) throws(CofferError) -> [BackupFormat] {
    if Self.isMacOSMetadata(name) { return [] }
    let candidates = formats.filter { $0.archive?.topFolder(ofMetadata: name) != nil }
    if candidates.isEmpty { return [] }
    if let document {
      throw CofferError(.notABackup, "the archive has several possible documents: \(document) and \(name)")
    }
    document = name
    return candidates
  }

  /// Returns true if an entry is a side document.
  func isSideDocument(_ name: String) -> Bool {
    !Self.isMacOSMetadata(name)
      && formats.contains { format in
        guard let layout = format.archive else { return false }
        return layout.documents.contains { $0.name == name || $0.name == layout.split(name).rest }
      }
  }

  /// Returns true if macOS added the entry: it holds a file's attributes under the file's name.
  static func isMacOSMetadata(_ name: String) -> Bool { name.hasPrefix("__MACOSX/") }

  /// Returns the formats that an archive's files belong to, even if it lacks the document.
  func formats(withFilesAmong names: some Sequence<String>) -> [BackupFormat] {
    formats.filter { format in
      guard let layout = format.archive, !layout.files.isEmpty else { return false }
      return names.contains { $0.hasPrefix(layout.files) || layout.split($0).rest.hasPrefix(layout.files) }
    }
  }

  /// Returns the names of the formats' documents: `backup_metadata.json or metadata.json`.
  static func documentNames(of formats: [BackupFormat]) -> String {
    let names = Set(formats.compactMap { $0.archive?.metadata }).sorted().joined(separator: " or ")
    return names.isEmpty ? "document of a known format" : names
  }

  /// The error for an archive without a document.
  var noDocument: CofferError {
    Self.notABackup("this ZIP archive isn't a backup: it has no \(Self.documentNames(of: formats))")
  }

  /// Returns the error for an archive whose document doesn't have the format that its name implies.
  func unknownDocument(_ name: String) -> CofferError {
    Self.notABackup("this ZIP archive isn't a backup: \(name) has an unknown format")
  }

  private static func notABackup(_ message: String) -> CofferError {
    CofferError(.notABackup, message)
  }
}

extension ZIPReader {
  /// Returns the data of the current entry, whose name identifies it as the document.
  ///
  /// - Throws: `CofferError` if it can't be read, is an archive or compressed again, which no app reads.
  func document(_ entry: ZIPEntry) throws -> any ByteSource {
    if let fault = faults.last, fault.code == .zipEncrypted, fault.place.entry == entry.name { throw fault }
    var prefix: [UInt8] = []
    while prefix.count < ForeignFile.signatureLength, let piece = try nextPiece() { prefix += piece }
    if Self.isArchive(prefix) {
      throw CofferError(.zipArchive, "\(entry.name) must be plain JSON, but is a ZIP archive")
    }
    if let format = try Decompression(MemorySource(prefix)).format {
      throw CofferError(
        format == .lz4 ? .lz4Entry : .foreignCompression,
        "\(entry.name) must be plain JSON, but is compressed with \(format.name)")
    }
    if let foreign = ForeignFile(of: prefix) {
      throw CofferError(foreign.code, "\(entry.name) must be plain JSON, but is \(foreign.name)")
    }
    return PrefixedSource(prefix: prefix, rest: contents)
  }
}
