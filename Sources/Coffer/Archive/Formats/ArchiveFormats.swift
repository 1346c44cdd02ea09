import BackupFormats
import Findings

/// The formats that an archive may be of, and which of its entries are documents by them: the same for all that read and write archives.
struct ArchiveFormats {
  /// Those whose backups may be archives.
  let formats: [BackupFormat]
  /// The name of the entry that holds the document, once it has come.
  private(set) var document: String?

  /// - Throws: `not-a-backup` if by the rules nothing is one that is an archive.
  init(_ rules: RuleSource) throws(DocumentError) {
    switch rules {
    case .detected(let catalog): formats = catalog.formats.filter { $0.archive != nil }
    case .format(let format):
      guard format.archive != nil else {
        throw Self.notABackup("backups of the format \(format.name) are not ZIP archives")
      }
      formats = [format]
    case .document:
      throw Self.notABackup("the rules don't say what a ZIP archive holds: a format's descriptor does, in backup.archive")
    }
  }

  /// Takes the next entry's name: the formats whose document it would be, none if it is another file.
  ///
  /// - Throws: `ambiguous-format` if another entry was the document.
  mutating func candidates(at name: String) throws(DocumentError) -> [BackupFormat] {
    if Self.isOfMacOS(name) { return [] }
    let candidates = formats.filter { $0.archive?.topFolder(ofMetadata: name) != nil }
    if candidates.isEmpty { return [] }
    if let document {
      throw DocumentError(
        code: "ambiguous-format", message: "the archive has \(document) and \(name): which is its document?", position: nil)
    }
    document = name
    return candidates
  }

  /// Returns true if an entry is a side document.
  func isSideDocument(_ name: String) -> Bool {
    !Self.isOfMacOS(name)
      && formats.contains { format in
        guard let layout = format.archive else { return false }
        return layout.documents.contains { $0.name == name || $0.name == layout.split(name).rest }
      }
  }

  /// Returns true if macOS added the entry to the archive: it holds a file's attributes under the file's own name.
  static func isOfMacOS(_ name: String) -> Bool { name.hasPrefix("__MACOSX/") }

  /// The formats whose files an archive has, though it may lack their document.
  func formats(withFilesAmong names: some Sequence<String>) -> [BackupFormat] {
    formats.filter { format in
      guard let layout = format.archive, !layout.files.isEmpty else { return false }
      return names.contains { $0.hasPrefix(layout.files) || layout.split($0).rest.hasPrefix(layout.files) }
    }
  }

  /// Returns the names of the documents of some formats: `backup_metadata.json or metadata.json`.
  static func documentNames(of formats: [BackupFormat]) -> String {
    let names = Set(formats.compactMap { $0.archive?.metadata }).sorted().joined(separator: " or ")
    return names.isEmpty ? "document of a known format" : names
  }

  /// The error for an archive without a document.
  var noDocument: DocumentError {
    Self.notABackup("this ZIP archive is no backup: it has no \(Self.documentNames(of: formats))")
  }

  /// The error for an archive whose document is another one than its name says.
  func unknownDocument(_ name: String) -> DocumentError {
    Self.notABackup("\(name) is the document of no known format: this ZIP archive is no backup")
  }

  private static func notABackup(_ message: String) -> DocumentError {
    DocumentError(code: "not-a-backup", message: message, position: nil)
  }
}
