package import BackupFormats
package import ByteStreams
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
  private static func onlyJSON(among entries: [StoredEntry]) throws(CofferError) -> StoredEntry? {
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
  package func openDocument() throws -> any ByteSource {
    let reader = try reader(faults: .noted)
    while let entry = try reader.next() {
      if entry.offset == document.offset { return VerifiedEntrySource(try reader.document(entry), reader, named: entry.name) }
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
  private var source: any ByteSource
  private let reader: ZIPReader
  private let name: String

  init(_ source: any ByteSource, _ reader: ZIPReader, named name: String) {
    self.source = source
    self.reader = reader
    self.name = name
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let count = try source.read(into: buffer)
    if count == 0, let fault = reader.faults.last, fault.concernsData, fault.place.entry == name { throw fault }
    return count
  }
}
