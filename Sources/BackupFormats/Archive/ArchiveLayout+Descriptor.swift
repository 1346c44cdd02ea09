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

  /// Returns the other documents, each with the values that it must agree with.
  ///
  /// - Parameter watched: the main document's values at ``watchedPlaces``. Fewer if it wasn't read to its end.
  package func documents(agreeingWith watched: [WatchedValue]) -> [(side: SideDocument, values: [WatchedValue])] {
    var rest = watched[...]
    return documents.map { side in
      defer { rest = rest.dropFirst(side.agreements.count) }
      return (side, Array(rest.prefix(side.agreements.count)))
    }
  }
}
