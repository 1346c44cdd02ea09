import JSONEvents
import Rules

/// Drafts the `backup` of a format: where the version and the creation time are, the collections, and how to recognise it.
struct DescriptorDraft {
  private let places: ContiguousArray<Place>
  private let map: PlaceMap
  private let keys: [Int: String]
  private let formats: [Int: StringFormat]
  private let archive: DraftOptions.Archive?

  /// - Parameters:
  ///   - keys: the names of the primary keys, by place of the records.
  ///   - formats: the formats that the rules declare, by place.
  init(
    _ places: ContiguousArray<Place>, _ map: PlaceMap, keys: [Int: String], formats: [Int: StringFormat],
    archive: DraftOptions.Archive?
  ) {
    self.archive = archive
    self.places = places
    self.map = map
    self.keys = keys
    self.formats = formats
  }

  /// Returns `nil` if a document isn't an object: the members of its objects recognise a format.
  func backup(named name: String) -> JSONValue.Located? {
    guard places[0].count == places[0].objects, places[0].objects > 0 else { return nil }
    var members = DraftMembers()
    members.add("name", .text(name))
    if let version {
      members.add(
        "version",
        .object([
          ("pointer", .text(map.pointer(of: version))), ("current", .number(places[version].numbers.maximumInteger)),
          ("oldest", .number(places[version].numbers.minimumInteger)),
        ]))
    }
    members.add("createdAt", createdAt)
    members.add("app", text { $0.words.contains("app") && $0.isVersion })
    members.add("device", text { $0.words.contains("device") })
    members.add("settings", settings)
    let collections = collections
    if !collections.isEmpty { members.add("collections", collections.object) }
    members.add("archive", archive.map(Self.description))
    members.add("detect", detect)
    return members.object
  }

  private static func description(of archive: DraftOptions.Archive) -> JSONValue.Located {
    var members = DraftMembers()
    members.add("metadata", .text(archive.document))
    if archive.hasTopFolder { members.add("topFolder", .boolean(true)) }
    return members.object
  }

  /// The members that a document has at most once: those of the root, and of the objects in it.
  private var outer: [Place.Member] {
    let root = places[0].orderedMembers
    return root + root.flatMap { places[$0.place].orderedMembers }.filter { map.single.contains($0.place) }
  }

  private var version: Int? {
    let candidates = outer.filter { member in
      let numbers = places[member.place].numbers
      return NameWords(member.string).isVersion && numbers.count > 0 && numbers.count == places[member.place].count
        && numbers.areIntegers && numbers.minimumInteger >= 0 && numbers.maximumInteger < 1_000_000
    }
    return candidates.first?.place
  }

  private var createdAt: JSONValue.Located? {
    let candidates = outer.filter { member in
      let words = NameWords(member.string)
      let isMade = words.words.contains {
        ["created", "create", "export", "exported", "backup", "saved", "generated"].contains($0)
      }
      return isMade && words.isTime && isTime(member.place)
    }
    return candidates.first.map { .text(map.pointer(of: $0.place)) }
  }

  private func isTime(_ place: Int) -> Bool { formats[place]?.isPointInTime == true }

  private func text(_ isNamed: (NameWords) -> Bool) -> JSONValue.Located? {
    outer.first { places[$0.place].texts.count > 0 && isNamed(NameWords($0.string)) }
      .map { .text(map.pointer(of: $0.place)) }
  }

  private var settings: JSONValue.Located? {
    places[0].orderedMembers.first { member in
      places[member.place].objects > 0
        && NameWords(member.string).words.contains { ["setting", "preference", "config", "option"].contains($0) }
    }.map { .text(map.pointer(of: $0.place)) }
  }

  private var collections: DraftMembers {
    var members = DraftMembers()
    for collection in map.collections where collection.isOutermost && !collection.pointer.isEmpty {
      // Only the root's arrays are collections of a format.
      guard let tokens = collection.pointer.pointerTokens, tokens.count == 1 else { continue }
      var description = DraftMembers()
      let title = Self.title(of: tokens[0])
      if !title.isEmpty { description.add("title", .text(title)) }
      // A descriptor's field has a name without escapes.
      let key = keys[collection.record].flatMap { $0.isEmpty || $0.contains("~") ? nil : $0 }
      description.add("key", key.map(JSONValue.Located.text))
      let dates = places[collection.record].orderedMembers.filter {
        !$0.string.isEmpty && isTime($0.place)
      }
      let changed = dates.first { NameWords($0.string).words.contains { ["updated", "modified", "changed"].contains($0) } }
      let date =
        dates.first { ["date", "timestamp", "time", "when", "day"].contains($0.string.lowercased()) }
        ?? dates.first { NameWords($0.string).words.contains("created") }
        ?? dates.first { $0.string != changed?.string && $0.presence == places[collection.record].objects }
      description.add("date", date.map { .text($0.string) })
      description.add("modified", changed.map { .text($0.string) })
      members.add(collection.pointer, description.object)
    }
    return members
  }

  /// `plannedMaintenance` ─▶ `planned maintenance`
  private static func title(of name: String) -> String {
    var title = ""
    for character in name {
      if character.isUppercase, title.last.map({ $0.isLowercase }) ?? false { title.append(" ") }
      title += character == "_" || character == "-" ? " " : character.lowercased()
    }
    return title
  }

  /// The document has its collections, or most of its members.
  private var detect: JSONValue.Located? {
    let root = places[0].orderedMembers.filter { $0.presence == places[0].objects && !$0.string.isEmpty }
    let arrays = root.filter { places[$0.place].arrays > 0 }
    let chosen = arrays.count >= 2 ? Array(arrays.prefix(4)) : Array(root.prefix(4))
    guard !chosen.isEmpty else { return nil }
    return .object([("all", .texts(chosen.map { map.pointer(of: $0.place) }))])
  }
}
