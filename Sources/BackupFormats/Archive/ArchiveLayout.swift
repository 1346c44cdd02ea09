/// What a format's backups hold that are ZIP archives, and what their names mean: the descriptor's `archive`.
///
///     "archive": {
///       "metadata": "metadata.json",          the document that the rules are for
///       "topFolder": true,                    all of it may stand below one folder more
///       "files": "photos/",                   where the files are that the document names
///       "limits": {"entries": 10000, "size": 1073741824, "ratio": 100},
///       "documents": {"manifest.json": {"rules": {"$ref": "#/$defs/manifest"}, "agrees": {"/photoCount": {"countOf": "/photos"}}}}
///     }
public struct ArchiveLayout: Sendable {
  /// The name of the entry that holds the document.
  public let metadata: String
  /// All of it may stand below one folder more.
  public let allowsTopFolder: Bool
  /// What the names of the files begin with that the document names; empty: nothing.
  public let files: String
  /// What the format's own readers take.
  public let limits: Limits
  /// Other documents in the archive.
  package let documents: [SideDocument]

  /// How much an archive may come to; `nil`: any amount. What is past them is a finding, not an error, for it can be read here.
  public struct Limits: Sendable {
    /// Folders among them.
    public let entries: Int?
    /// Bytes of all entries, expanded.
    public let size: Int?
    /// How many times its compressed size an entry may come to.
    public let ratio: Int?
  }

  /// The folder that a name stands below, with its slash, and the rest; the folder is empty where there can be none.
  package func split(_ name: String) -> (folder: String, rest: String) {
    guard allowsTopFolder, let slash = name.firstIndex(of: "/") else { return ("", name) }
    let rest = name[name.index(after: slash)...]
    return (String(name[...slash]), String(rest))
  }

  /// The top folder of an archive whose document has this name (empty: none); `nil` if no such name is the document's.
  package func topFolder(ofMetadata name: String) -> String? {
    if name == metadata { return "" }
    let (folder, rest) = split(name)
    return rest == metadata && !folder.isEmpty ? folder : nil
  }
}
