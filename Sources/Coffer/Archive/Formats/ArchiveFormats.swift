import BackupFormats
import Findings

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
