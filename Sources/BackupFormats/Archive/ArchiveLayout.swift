/// The layout of a format's ZIP archives: the descriptor's `archive`.
///
///     "archive": {
///       "metadata": "metadata.json",          the document that the rules describe
///       "topFolder": true,                    everything may be inside one top folder
///       "files": "photos/",                   the folder of the files that the document names
///       "limits": {"entries": 10000, "size": 1073741824, "ratio": 100},
///       "documents": {"manifest.json": {"rules": {"$ref": "#/$defs/manifest"},
///                                       "agrees": {"/photoCount": {"countOf": "/photos"}}}}
///     }
public struct ArchiveLayout: Sendable {
  /// The name of the entry that holds the document.
  public let metadata: String
  /// True if everything may be inside one top folder.
  public let allowsTopFolder: Bool
  /// The prefix of the files that the document names; may be empty.
  public let files: String
  /// The limits of the format's own readers.
  public let limits: Limits
  /// Other documents in the archive.
  package let documents: [SideDocument]

  /// The limits of an archive, or `nil` if unlimited. Exceeding them is a finding, not an error, because Coffer can still read
  /// the archive.
  public struct Limits: Sendable {
    /// The number of entries, including folders.
    public let entries: Int?
    /// The uncompressed size of all entries in bytes.
    public let size: Int?
    /// The maximum compression ratio of an entry.
    public let ratio: Int?
  }

  /// Splits a name into its top folder, with its slash, and the rest. The folder is empty if the layout allows none.
  package func split(_ name: String) -> (folder: String, rest: String) {
    guard allowsTopFolder, let slash = name.firstIndex(of: "/") else { return ("", name) }
    let rest = name[name.index(after: slash)...]
    return (String(name[...slash]), String(rest))
  }

  /// Returns the top folder of an archive whose document has this name, empty if there is none, or `nil` if the document can't
  /// have this name.
  package func topFolder(ofMetadata name: String) -> String? {
    if name == metadata { return "" }
    let (folder, rest) = split(name)
    return rest == metadata && !folder.isEmpty ? folder : nil
  }
}
