import ByteStreams
import JSONEvents
package import Rules

extension ArchiveLayout {
  /// Reads a descriptor's `archive`.
  ///
  /// - Parameter definitions: The descriptor's `$defs`, to which the rules of side documents may refer.
  init(_ value: JSONValue.Located, definitions: JSONValue.Located?) throws(CofferError) {
    let pointer = "/backup/archive"
    guard let metadata = value["metadata"]?.string, !metadata.isEmpty, !metadata.hasSuffix("/") else {
      throw CofferError(rules: "expected an archive with 'metadata': the entry with the document", at: pointer, value.position)
    }
    self.metadata = metadata
    allowsTopFolder = value["topFolder"]?.boolean ?? false
    files = value["files"]?.string ?? ""
    if let files = value["files"], files.string?.hasSuffix("/") != true {
      throw CofferError(rules: "expected a folder, such as \"photos/\"", at: pointer + "/files", files.position)
    }
    func limit(_ name: String) throws(CofferError) -> Int? {
      guard let limit = value["limits"]?[name] else { return nil }
      if let number = limit.number.flatMap({ Int($0) }), number > 0 { return number }
      throw CofferError(rules: "expected a positive integer", at: pointer + "/limits/" + name, limit.position)
    }
    limits = Limits(entries: try limit("entries"), size: try limit("size"), ratio: try limit("ratio"))
    var documents: [SideDocument] = []
    for member in value["documents"]?.object ?? [] {
      documents.append(try SideDocument(member, definitions, at: pointer + "/documents/" + member.key.pointerToken))
    }
    self.documents = documents
  }
}

extension ArchiveLayout {
  /// The places of the document that side documents must agree with, in the order of the side documents.
  package var watchedPlaces: [WatchedPlace] { documents.flatMap { $0.agreements.map(\.place) } }
}
