import JSONEvents
import Rules

/// Drafts the `backup` of a format: where the version and the creation time are, the collections, and how to recognise it.
extension SchemaWriter {
  /// True if all documents are objects: their members recognise a format.
  var isObject: Bool { places[0].objects > 0 && places[0].objects == places[0].count }

  func backup(named name: String) -> JSONValue.Located {
    let collections = collections(keys: primaryKeys, named: name)
    guard isObject else {
      return .object(["name": .text(name), "collections": collections.isEmpty ? nil : collections.object])
    }
    return .object([
      "name": .text(name), "version": version, "createdAt": createdAt,
      "app": text { $0.words.contains("app") && $0.isVersion }, "device": text { $0.words.contains("device") },
      "settings": settings, "collections": collections.isEmpty ? nil : collections.object,
      "archive": drafter.options.archive.map { archive in
        .object(["metadata": .text(archive.document), "topFolder": archive.hasTopFolder ? .boolean(true) : nil])
      },
      "detect": detect,
    ])
  }

  /// The members that a document has at most once: those of the root, and of the objects in it.
  private var outer: [ValueStatistics.Member] {
    let root = places[0].orderedMembers
    return root + root.flatMap { places[$0.place].orderedMembers }.filter { map.single.contains($0.place) }
  }

  private func pointer(toFirst isWanted: (ValueStatistics.Member) -> Bool) -> JSONValue.Located? {
    outer.first(where: isWanted).map { .text(map.pointer(of: $0.place)) }
  }

  /// The number of the format's version: one that hardly changes from document to document, as that of the document itself would.
  private var version: JSONValue.Located? {
    let member = outer.first { member in
      let place = places[member.place]
      let numbers = place.numbers
      let words = NameWords(member.string)
      guard words.isVersion, !words.has(Self.revisions), numbers.count > 0, numbers.count == place.count,
        numbers.areIntegers, numbers.minimumInteger >= 0, numbers.maximumInteger < 1_000_000
      else { return false }
      return numbers.count < 3 || !place.tally.isOver && place.tally.values.count * 2 <= numbers.count
    }
    guard let place = member?.place else { return nil }
    let numbers = places[place].numbers
    return .object([
      "pointer": .text(map.pointer(of: place)), "current": .number(numbers.maximumInteger),
      "oldest": .number(numbers.minimumInteger),
    ])
  }

  /// Names of versions that count the changes of one document.
  private static let revisions: Set = ["content", "data", "document", "edit", "file", "record", "revision", "sync"]

  private var createdAt: JSONValue.Located? {
    pointer { member in
      let words = NameWords(member.string)
      return words.has(["created", "create", "export", "exported", "backup", "saved", "generated"]) && words.isTime
        && isTime(member.place)
    }
  }

  private func isTime(_ place: Int) -> Bool { formats[place]?.isPointInTime == true }

  private func text(_ isNamed: (NameWords) -> Bool) -> JSONValue.Located? {
    pointer { places[$0.place].texts.count > 0 && isNamed(NameWords($0.string)) }
  }

  private var settings: JSONValue.Located? {
    places[0].orderedMembers.first { member in
      places[member.place].objects > 0 && NameWords(member.string).has(["setting", "preference", "config", "option"])
    }.map { .text(map.pointer(of: $0.place)) }
  }

  /// - Parameter name: the format's name: the title of records that are the root's.
  private func collections(keys: [Int: String], named name: String) -> DraftMembers {
    var members: DraftMembers = [:]
    for collection in map.collections where collection.isOutermost {
      guard let tokens = collection.pointer.pointerTokens else { continue }
      // A collection inside a member is listed only if it has nothing but records.
      if tokens.count > 1, places[collection.record].objects < places[collection.record].count { continue }
      let title = tokens.last.map(Self.title) ?? name
      // A descriptor's field has a name without escapes.
      let key = keys[collection.record].flatMap { collection.isMap || $0.isEmpty || $0.contains("~") ? nil : $0 }
      let dates = places[collection.record].orderedMembers.filter { !$0.string.isEmpty && isTime($0.place) }
      let changed = dates.first { NameWords($0.string).has(["updated", "modified", "changed"]) }
      let date =
        dates.first { ["date", "timestamp", "time", "when", "day"].contains($0.string.lowercased()) }
        ?? dates.first { NameWords($0.string).words.contains("created") }
        ?? dates.first { $0.string != changed?.string && $0.presence == places[collection.record].objects }
      members.add(
        collection.pointer,
        .object([
          "title": title.isEmpty ? nil : .text(title), "key": key.map(JSONValue.Located.text),
          "date": date.map { .text($0.string) }, "modified": changed.map { .text($0.string) },
        ]))
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

  /// A collection with more records than this may grow.
  private static let shortest = 20

  /// The document has its collections, or most of its members.
  ///
  /// Detection reads only the start of a document, so what follows a collection that grows doesn't count.
  private var detect: JSONValue.Located? {
    let root = places[0].orderedMembers.filter { $0.presence == places[0].objects && !$0.string.isEmpty }
    let end = root.firstIndex { places[$0.place].maximumItems > Self.shortest || places[$0.place].otherCount > Self.shortest }
    let first = end.map { root[...$0] } ?? root[...]
    let arrays = first.filter { places[$0.place].arrays > 0 }
    let others = first.filter { places[$0.place].arrays == 0 }
    let chosen = arrays.count >= 2 ? Array(arrays.prefix(4)) : Array(others.prefix(4 - arrays.count) + arrays)
    guard !chosen.isEmpty else { return nil }
    return .object(["all": .texts(chosen.map { map.pointer(of: $0.place) })])
  }
}
