import ByteStreams
import Findings
import JSONEvents
package import Rules

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

/// A small document in addition to the main one, with its own rules, and values that must agree with the main document.
package struct SideDocument: Sendable {
  /// The name of its entry.
  package let name: String
  /// True if an archive without it is invalid.
  package let isRequired: Bool
  package let rules: RuleDocument
  package let agreements: [Agreement]

  /// A value that must equal a value of the main document.
  package struct Agreement: Sendable {
    /// The JSON Pointer in the side document.
    package let pointer: String
    package let place: WatchedPlace
    /// The place as spelled in the descriptor, for messages.
    package let text: String
    package let grading: Schema.Grading
    /// The location of the agreement in the descriptor.
    package let location: String
  }

  init(_ member: RuleValue.Member, _ definitions: JSONValue.Located?) throws(CofferError) {
    name = member.key
    let value = member.value
    isRequired = value["required"]?.boolean ?? true
    rules = try Self.rules(of: value, definitions)
    agreements = try (value["agrees"]?.members ?? []).map { member throws(CofferError) in try Agreement(member) }
  }

  /// Reads `rules`: a schema in the descriptor, which may refer to the descriptor's `$defs`.
  private static func rules(of value: RuleValue, _ definitions: JSONValue.Located?) throws(CofferError) -> RuleDocument {
    var members = (value["rules"]?.json.object ?? []).map { "\"\($0.key)\": \($0.value.text)" }
    if let definitions { members.append("\"$defs\": \(definitions.text)") }
    do {
      return try RuleDocument(MemorySource("{\(members.joined(separator: ", "))}".utf8))
    } catch {
      throw value.error(error.message, at: "rules")
    }
  }
}

extension SideDocument.Agreement {
  /// Reads `"/a": "/b"`, the value at `/b`, or `"/a": {"countOf": "/b"}`, the number of items at `/b`.
  init(_ member: RuleValue.Member) throws(CofferError) {
    let value = member.value
    let count = value["countOf"]
    let text = (count ?? value["valueOf"] ?? value).string
    guard let text, let tokens = text.pointerTokens, !tokens.isEmpty, !tokens.contains("*"),
      member.key.pointerTokens?.isEmpty == false
    else {
      throw value.error(
        "expected a JSON Pointer into each document, such as \"/timestamp\": \"/exportDate\" or \"/photoCount\": {\"countOf\": \"/photos\"}"
      )
    }
    pointer = member.key
    self.text = text
    location = value.pointer
    place = count == nil ? .value(tokens) : .count(tokens)
    var grading = Schema.Grading()
    grading.code = value["code"]?.string ?? (count == nil ? "consistency" : "count-of")
    grading.message = value["errorMessage"]?.string
    if let severity = try value["severity"]?.expectChoice(Severity.mostSevereFirst) { grading.severity = severity }
    self.grading = grading
  }
}
