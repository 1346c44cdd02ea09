import ByteStreams
import JSONEvents
import Platform
package import SystemPackage

/// The rule document and all others that it refers to, each with its resources: the schemas that have their own URI.
///
/// A reference leads to a place: a URI names a resource, and a fragment names an anchor in it or is a pointer from its root.
/// Unknown URIs are looked up among the built-in meta-schemas, then in the mapped folders, never on a network.
struct SchemaDocuments {
  /// A value in one of the documents.
  struct Place: Hashable {
    var document: Int
    var pointer: ExactText

    init(_ document: Int, _ pointer: String) {
      self.document = document
      self.pointer = ExactText(pointer)
    }

    func appending(_ tokens: String...) -> Place {
      Place(document, tokens.reduce(pointer.text) { $0 + "/" + $1.pointerToken })
    }
  }

  /// A schema and its place.
  struct Target {
    var place: Place
    var value: JSONValue.Located
  }

  struct Resource {
    let uri: URIReference
    let root: Target
    let dialect: Dialect
    var anchors: [ExactText: Target] = [:]
    /// The anchors that a `$dynamicRef` may resolve to.
    var dynamicAnchors: [ExactText: Target] = [:]
  }

  /// The anchor for the `$recursiveAnchor` of 2019-09. No real anchor can have this name.
  static let recursiveAnchor = ExactText("#")

  let options: RuleDocument.Options
  /// The documents' names in errors and findings. `nil` for the rule document itself.
  private var names: [String?] = []
  private(set) var resources: [Resource] = []
  /// The files that have been read.
  private(set) var files: [FilePath] = []
  private var resourceIndices: [ExactText: Int] = [:]
  /// The roots of resources.
  private var roots: [Place: Int] = [:]
  /// The members, by name, of large objects on the path of a reference.
  private var largeObjects: [Place: [ExactText: Int]] = [:]
  /// The URIs that no file has, each with the files that were looked for.
  private var missing: [ExactText: [FilePath]] = [:]
  /// The errors in documents that can't be used, by URI.
  private var failures: [ExactText: CofferError] = [:]

  init(_ document: JSONValue.Located, options: RuleDocument.Options) throws(CofferError) {
    self.options = options
    try add(document, uri: "", name: nil, in: .coffer)
  }

  func name(of place: Place) -> String? { names[place.document] }

  func error(_ message: String, at place: Place, _ position: TextPosition) -> CofferError {
    CofferError(rules: message, at: place.pointer.text, position, in: name(of: place))
  }

  // MARK: Documents

  /// - Parameter outer: the dialect of the referring document, used if this one has no `$schema`.
  private mutating func add(
    _ value: JSONValue.Located, uri: String, name: String?, in outer: Dialect
  ) throws(CofferError) {
    names.append(name)
    let root = Target(place: Place(names.count - 1, ""), value: value)
    do {
      let dialect = try dialect(of: value, at: root.place, around: outer, depth: 0)
      let retrieval = URIReference(uri)
      let isNamed = !dialect.refersAlone || value["$ref"] == nil
      let own = value[dialect.identifier]?.string.map { URIReference($0).resolved(against: retrieval) }
      let resource = begin(isNamed ? own ?? retrieval : retrieval, dialect, root)
      // Its retrieval URI names it, too.
      if resourceIndices[ExactText(uri)] == nil { resourceIndices[ExactText(uri)] = resource }
      try index(value, at: root.place, in: resource, isRoot: true)
    } catch {
      throw error.inDocument(name)
    }
  }

  private mutating func begin(_ uri: URIReference, _ dialect: Dialect, _ root: Target) -> Int {
    let name = ExactText(uri.withoutFragment.description)
    resources.append(Resource(uri: uri.withoutFragment, root: root, dialect: dialect))
    // The first resource with a URI keeps it.
    if resourceIndices[name] == nil { resourceIndices[name] = resources.count - 1 }
    roots[root.place] = resources.count - 1
    return resources.count - 1
  }

  /// Returns the dialect of a resource's `$schema`, or else the surrounding one.
  private mutating func dialect(
    of value: JSONValue.Located, at place: Place, around: Dialect, depth: Int
  ) throws(CofferError) -> Dialect {
    guard let name = RuleValue(value, at: place.pointer.text)["$schema"] else { return around }
    let uri = try name.expectString()
    if let known = Dialect.named(uri) { return known }
    let meta: JSONValue.Located
    do throws(CofferError) {
      var tried: [FilePath] = []
      guard depth < 8, let found = try load(uri, from: name.pointer, name.json.position, &tried) else {
        throw unavailable(uri, uri, tried: tried, at: place, name.json.position)
      }
      meta = found
    } catch {
      guard error.code == .unresolvedReference else { throw error }
      throw CofferError(
        .invalidRules,
        "unknown $schema '\(uri)'; Coffer reads drafts 2020-12, 2019-09, 7, 6 and 4 of JSON Schema, '\(Dialect.cofferURI)', and your "
          + "own meta-schemas, in files beside the rules or in mapped folders",
        at: .init(pointer: name.pointer, position: name.json.position), underlying: error)
    }
    do {
      let base = try dialect(of: meta, at: Place(0, ""), around: Dialect(), depth: depth + 1)
      guard let vocabularies = RuleValue(meta, at: "")["$vocabulary"]?.members else { return base }
      return try Dialect(vocabularies: vocabularies, of: base)
    } catch {
      throw error.inDocument(uri)
    }
  }

  /// Loads a document that is not loaded yet. Returns `nil` if it is unknown, and adds the files that it could have been to `tried`.
  private mutating func load(
    _ uri: String, from pointer: String, _ position: TextPosition, _ tried: inout [FilePath]
  ) throws(CofferError) -> JSONValue.Located? {
    if let text = MetaSchema.text(of: uri) { return try JSONValue.readRules(MemorySource(text)) }
    // The longest matching URI comes first. If its folder has no such file, the next one is tried.
    for folder in options.folders.sorted(by: { $0.uri.utf8.count > $1.uri.utf8.count }) {
      guard let path = folder.path(of: uri) else { continue }
      // The names of a folder itself are not tried: they are beside it.
      let paths = path == folder.path ? [path] : candidates(for: path)
      for path in paths { if let value = try read(path, of: uri, from: pointer, position, &tried) { return value } }
    }
    for path in try file(of: uri, from: pointer, position).map(candidates) ?? [] {
      if let folder = options.confinement, options.fileTexts == nil, !path.isConfined(to: folder) {
        throw outside("'\(uri)' is a link out of the folder of the rules, or no regular file", from: pointer, position)
      }
      if let value = try read(path, of: uri, from: pointer, position, &tried) { return value }
    }
    return nil
  }

  /// Reads the document of a URI. Returns `nil` if there is no such file, and adds it to `tried`.
  private mutating func read(
    _ path: FilePath, of uri: String, from pointer: String, _ position: TextPosition, _ tried: inout [FilePath]
  ) throws(CofferError) -> JSONValue.Located? {
    do throws(CofferError) {
      guard let texts = options.fileTexts else {
        let source = try FileSource(path: path)
        files.append(path)
        return try options.syntax(of: path).read(source)
      }
      guard let text = texts[path.string] else { throw CofferError(.notFound, "\(path) is not among the given files") }
      files.append(path)
      return try options.syntax(of: path).read(MemorySource(text.utf8))
    } catch {
      if let position = error.place.position {
        throw CofferError(rules: error.message, at: error.place.pointer ?? "", position, in: uri)
      }
      guard [.notFound, .isDirectory].contains(error.code) || error.underlying as? Errno == .fileNameTooLong else {
        throw CofferError(rules: "can't read '\(uri)': \(error)", at: pointer, position)
      }
      tried.append(path)
      return nil
    }
  }

  // MARK: Names

  /// Finds the resources and anchors in a schema, in the places where schemas can be.
  private mutating func index(
    _ value: JSONValue.Located, at place: Place, in outer: Int, isRoot: Bool = false
  ) throws(CofferError) {
    guard let members = value.object else { return }
    var resource = outer
    if !isRoot, let text = value[resources[outer].dialect.identifier]?.string {
      let isShadowed = resources[outer].dialect.refersAlone && value["$ref"] != nil
      if !isShadowed { resource = try identify(text, value, at: place, in: outer) }
    }
    let dialect = resources[resource].dialect
    for member in members {
      guard let text = member.value.string else {
        if member.key == "$recursiveAnchor", member.value.boolean == true, dialect.edition == .draft2019 {
          resources[resource].dynamicAnchors[Self.recursiveAnchor] = resources[resource].root
        }
        continue
      }
      switch member.key {
      case "$anchor" where dialect.edition >= .draft2019:
        resources[resource].anchors[ExactText(text)] = Target(place: place, value: value)
      case "$dynamicAnchor" where dialect.edition >= .draft2020:
        resources[resource].anchors[ExactText(text)] = Target(place: place, value: value)
        resources[resource].dynamicAnchors[ExactText(text)] = Target(place: place, value: value)
      default: break
      }
    }
    for member in members {
      for (tokens, schema) in Keyword.named(member.key)?.subschemas?(member.value) ?? [] {
        let inner = tokens.reduce(place.appending(member.key)) { $0.appending($1) }
        try index(schema, at: inner, in: resource)
      }
    }
  }

  /// Handles a schema's `$id` (`id` in draft 4): it makes a resource or, before 2019-09, possibly only an anchor.
  private mutating func identify(
    _ text: String, _ value: JSONValue.Located, at place: Place, in outer: Int
  ) throws(CofferError) -> Int {
    let uri = URIReference(text).resolved(against: resources[outer].uri)
    if resources[outer].dialect.refersAlone, let fragment = uri.fragment, !fragment.isEmpty {
      resources[outer].anchors[ExactText(fragment)] = Target(place: place, value: value)
      if text.hasPrefix("#") { return outer }
    }
    let dialect = try dialect(of: value, at: place, around: resources[outer].dialect, depth: 0)
    return begin(uri, dialect, Target(place: place, value: value))
  }

  /// Returns the resource that contains a place.
  func resource(of place: Place) -> Int {
    var pointer = place.pointer.text[...]
    while true {
      if let index = roots[Place(place.document, String(pointer))] { return index }
      guard let slash = pointer.utf8.lastIndex(of: UInt8(ascii: "/")) else { return 0 }
      pointer = pointer[..<slash]
    }
  }

  // MARK: References

  /// Returns the target of the reference `text` in a resource.
  ///
  /// - Throws: `unresolvedReference` if its document is not available, `invalidRules` if the document has no such place.
  mutating func resolve(
    _ text: String, in resource: Int, at place: Place, _ position: TextPosition
  ) throws(CofferError) -> Target {
    let uri = URIReference(text).resolved(against: resources[resource].uri)
    let found = try find(uri.withoutFragment.description, for: text, in: resources[resource].dialect, at: place, position)
    guard let fragment = (uri.fragment ?? "").percentDecoded else {
      throw error("'\(text)' is not a valid URI reference", at: place, position)
    }
    if !fragment.isEmpty, fragment.utf8.first != UInt8(ascii: "/") {
      if let anchored = resources[found].anchors[ExactText(fragment)] { return anchored }
      let known = resources[found].anchors.keys.map(\.text).sorted()
      throw error(
        "'\(text)' refers to an unknown anchor\(Suggestion.text(for: fragment, among: known))", at: place, position)
    }
    guard let tokens = fragment.pointerTokens else { throw error("'\(text)' contains no JSON Pointer", at: place, position) }
    var target = resources[found].root
    for token in tokens {
      guard let next = step(token, from: target) else {
        let known = target.value.object.map { $0.map(\.key) } ?? []
        throw error(
          "'\(text)' refers to '\(token)', which doesn't exist\(Suggestion.text(for: token, among: known))", at: place, position)
      }
      target = Target(place: target.place.appending(token), value: next)
    }
    return target
  }

  private mutating func find(
    _ uri: String, for text: String, in dialect: Dialect, at place: Place, _ position: TextPosition
  ) throws(CofferError) -> Int {
    let key = ExactText(uri)
    if let known = resourceIndices[key] { return known }
    if let tried = missing[key] { throw unavailable(text, uri, tried: tried, at: place, position) }
    if let failure = failures[key] { throw failure }
    do throws(CofferError) {
      var tried: [FilePath] = []
      guard let document = try load(uri, from: place.pointer.text, position, &tried) else {
        missing[key] = tried
        throw unavailable(text, uri, tried: tried, at: place, position)
      }
      let next = resources.count
      try add(document, uri: uri, name: uri, in: dialect)
      return next
    } catch {
      // An error in that document is one error, however many references lead to it.
      if error.place.document == uri { failures[key] = error }
      throw error
    }
  }

  private mutating func step(_ token: String, from target: Target) -> JSONValue.Located? {
    if let items = target.value.array {
      guard let index = Int(token), String(index) == token, items.indices.contains(index) else { return nil }
      return items[index]
    }
    guard let members = target.value.object else { return nil }
    // Large objects get an index, so that references don't scan them.
    if members.count > 16 {
      if largeObjects[target.place] == nil {
        largeObjects[target.place] = Dictionary(members.enumerated().map { (ExactText($1.key), $0) }) { $1 }
      }
      return largeObjects[target.place]?[ExactText(token)].map { members[$0].value }
    }
    return members.last { ExactText($0.key) == ExactText(token) }?.value
  }
}

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
      throw outside("'\(uri)' leads out of the folder of the rules", from: pointer, position)
    }
    return file
  }

  private func outside(_ message: String, from pointer: String, _ position: TextPosition) -> CofferError {
    let place = CofferError.Place(pointer: pointer, position: position)
    return CofferError(.invalidRules, message, at: place, underlying: CofferError(.outsideFolder, message, at: place))
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

/// Paths of the files that references name.
extension FilePath {
  /// Returns the path of a file below this folder, or `nil` if a segment of the reference isn't a file name.
  func appending(segmentsOf reference: some StringProtocol) -> FilePath? {
    var path = self
    for segment in reference.split(separator: "/") {
      // A path would end at a NUL, and an encoded slash would be part of a name, which no file can have.
      guard let name = String(segment).percentDecoded, !name.utf8.contains(0), !name.utf8.contains(UInt8(ascii: "/")),
        let component = Component(name), component.kind == .regular
      else { return nil }
      path.append(component)
    }
    return path
  }

  /// Returns whether this path is inside a folder, by their names alone: symbolic links are not followed.
  func isInside(_ folder: FilePath) -> Bool { absolute.starts(with: folder.absolute) }

  /// Returns whether this is a regular file in a folder or below it, wherever symbolic links lead. Also true if there is nothing to
  /// read.
  package func isConfined(to folder: FilePath) -> Bool {
    guard let type = try? stat().type, type != .directory else { return true }
    guard type == .regular, let file = real, let folder = (folder.isEmpty ? "." : folder).real else { return false }
    return file.starts(with: folder)
  }

  /// The path without symbolic links, or `nil` if there is no such file.
  package var real: FilePath? {
    guard let real = realpath(string, nil) else { return nil }
    defer { free(real) }
    return FilePath(platformString: real)
  }

  private var absolute: FilePath {
    if isAbsolute { return lexicallyNormalized() }
    guard let current = getcwd(nil, 0) else { return lexicallyNormalized() }
    defer { free(current) }
    return FilePath(platformString: current).pushing(self).lexicallyNormalized()
  }
}
