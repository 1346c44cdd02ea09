import BackupFormats
import ByteStreams
import JSONEvents
import Rules

/// The contents of a format's archives, except the files that records name.
struct ArchivePlan: Sendable {
  let metadata: String
  /// The prefix of file names; may be empty.
  let files: String
  /// The maximum number of entries that the format's readers accept.
  let limit: Int?
  let documents: [SyntheticSideDocument]
  /// The maximum number of files that no record names.
  static let strayLimit = 64

  init(_ layout: ArchiveLayout) throws(CofferError) {
    metadata = layout.metadata
    files = layout.files
    documents = try layout.documents.map { document throws(CofferError) in try SyntheticSideDocument(document) }
    limit = layout.limits.entries.map { $0 - 1 - layout.documents.count - Self.strayLimit }
  }

  /// The defects of the archive itself.
  var variants: [DefectVariant] {
    var variants: [DefectVariant] = []
    func add(_ kind: DefectKind, _ start: String, _ end: String) {
      variants.append(
        DefectVariant(
          kind: kind, code: kind.rawValue, site: .archive, path: [], change: .stray(start, end), pointers: [[]],
          location: "/backup/archive"))
    }
    if !files.isEmpty { add(.fileExtra, files + "unnamed-", ".jpg") }
    add(.pathUnsafe, "../evil-", ".txt")
    return variants
  }

  /// Returns true if a defect would make a side document contradict the archive's own document.
  func concerns(_ variant: DefectVariant) -> Bool {
    guard case .envelope(let site) = variant.site else { return false }
    let path = site + variant.path
    return documents.flatMap(\.agreements).contains { agreement in
      guard case .value(let tokens) = agreement.1 else { return false }
      return tokens.starts(with: path) || path.starts(with: tokens)
    }
  }
}

/// A small document in addition to the archive's own.
struct SyntheticSideDocument: Sendable {
  let name: String
  let tree: JSONTree
  let agreements: [([String], WatchedPlace)]

  init(_ side: SideDocument) throws(CofferError) {
    name = side.name
    let backup = try SyntheticBackup(of: SyntheticFormat(side.rules, name: side.name), options: .init(size: 0, layout: .compact))
    var sink = MemorySink()
    _ = try backup.write(to: &sink)
    tree = JSONTree(parsing: sink.bytes)
    agreements = side.agreements.map { ($0.pointer.pointerTokens ?? [], $0.place) }
  }
}

/// A part of an archive, in archive order.
package enum ArchivePart {
  /// The document is complete: the bytes written to the sink.
  case document(name: String)
  case sideDocument(name: String, bytes: [UInt8])
  case file(name: String, bytes: [UInt8])
}
