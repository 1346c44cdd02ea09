import ByteStreams
import SystemPackage

/// Relative references: they lead to files beside the rule document.
///
///     rules.json      {"$ref": "parts/car.json"}          parts/car.json
///     rules.json      {"$id": "https://example.org/rules.json", "$ref": "parts/car.json"}
///                                                         https://example.org/parts/car.json, the same file
extension SchemaDocuments {
  /// Returns the file beside the rule document that a URI names, or `nil` if it can't name one.
  ///
  /// - Throws: `CofferError` if it leads out of the folder, or there is no folder.
  func file(of uri: String, from pointer: String, _ position: TextPosition) throws(CofferError) -> FilePath? {
    let reference = URIReference(uri)
    guard reference.query == nil else { return nil }
    guard reference.scheme == nil, reference.authority == nil, !reference.path.hasPrefix("/") else {
      guard let base = options.baseFolder, let root = resources.first?.uri else { return nil }
      // An absolute $id says where the rule document is, and so where the files beside it are.
      var folder = root.withoutFragment
      (folder.path, folder.query) = (root.folder, nil)
      let prefix = folder.description
      guard prefix.hasSuffix("/"), uri.hasPrefix(prefix), uri.utf8.count > prefix.utf8.count else { return nil }
      return base.appending(segmentsOf: uri.dropFirst(prefix.count))
    }
    guard !reference.path.isEmpty else { return nil }
    guard let start = options.baseFolder ?? options.referenceFolder else {
      throw CofferError(
        .unresolvedReference, "'\(uri)' is relative, and the rules have no folder, because they are read from a stream",
        at: .init(pointer: pointer, position: position))
    }
    var path = start
    var rest = reference.path.split(separator: "/", omittingEmptySubsequences: false)[...]
    while rest.first == ".." {
      rest.removeFirst()
      path.append("..")
    }
    let folder = options.referenceFolder ?? start
    guard let file = path.appending(segmentsOf: rest.joined(separator: "/")) else { return nil }
    guard file.isInside(folder) else {
      let place = CofferError.Place(pointer: pointer, position: position)
      let message = "'\(uri)' leads out of the folder of the rules"
      throw CofferError(.invalidRules, message, at: place, underlying: CofferError(.outsideFolder, message, at: place))
    }
    return file
  }

  /// Returns the files that may hold a document: the one that its URI names, then those with the ending of a syntax.
  func candidates(for path: FilePath) -> [FilePath] {
    let endings = options.syntaxes.flatMap(\.endings)
    guard let name = path.lastComponent?.string, !endings.contains(path.extension?.lowercased() ?? "") else { return [path] }
    return [path] + endings.map { path.removingLastComponent().appending("\(name).\($0)") }
  }

  /// Returns the error of a reference whose document is not available.
  ///
  /// - Parameter tried: the files that may hold it, which don't exist.
  func unavailable(_ text: String, _ uri: String, tried: [FilePath], at place: Place, _ position: TextPosition) -> CofferError {
    let subject = text.prefix { $0 != "#" } == uri ? "'\(text)'" : "'\(text)' refers to '\(uri)', which"
    let names = tried.prefix(4).map(\.string)
    let more = tried.count > names.count ? " and \(tried.count - names.count) more" : ""
    let cause = names.isEmpty ? "documents are never fetched" : "there is no file \(names.joined(separator: ", "))\(more)"
    return CofferError(
      .unresolvedReference, "\(subject) is not available: \(cause)",
      at: .init(document: name(of: place), pointer: place.pointer.text, position: position))
  }
}
