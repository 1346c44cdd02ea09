import ByteStreams
import JSONEvents
package import Rules

extension ArchiveLayout {
  /// Reads a descriptor's `archive`.
  ///
  /// - Parameter definitions: The descriptor's `$defs`, to which the rules of side documents may refer.
  init(_ value: RuleValue, definitions: JSONValue.Located?) throws(CofferError) {
    guard let metadata = value["metadata"]?.string, !metadata.isEmpty, !metadata.hasSuffix("/") else {
      throw value.error("expected an archive with 'metadata': the entry with the document")
    }
    self.metadata = metadata
    allowsTopFolder = value["topFolder"]?.boolean ?? false
    files = value["files"]?.string ?? ""
    if let files = value["files"], files.string?.hasSuffix("/") != true {
      throw files.error("expected a folder, such as \"photos/\"")
    }
    let limits = value["limits"]
    self.limits = Limits(
      entries: try limits?["entries"]?.expectPositiveInteger(), size: try limits?["size"]?.expectPositiveInteger(),
      ratio: try limits?["ratio"]?.expectPositiveInteger())
    documents = try (value["documents"]?.members ?? []).map { member throws(CofferError) in
      try SideDocument(member, definitions)
    }
  }
}

extension ArchiveLayout {
  /// The places of the document that side documents must agree with, in the order of the side documents.
  package var watchedPlaces: [WatchedPlace] { documents.flatMap { $0.agreements.map(\.place) } }
}
