/// The words of a member's name, in lower case and singular, and what they suggest.
///
///     milleageSyncedAt ─▶ milleage, synced, at        photo_ids ─▶ photo, id
struct NameWords {
  let words: [String]

  init(_ name: String) {
    var words: [String] = []
    var word = ""
    var previous: Character = " "
    for character in name {
      let isNew = !character.isLetter && !character.isNumber || character.isUppercase && !previous.isUppercase
      if isNew, !word.isEmpty {
        words.append(word)
        word = ""
      }
      if character.isLetter || character.isNumber { word.append(contentsOf: character.lowercased()) }
      previous = character
    }
    if !word.isEmpty { words.append(word) }
    self.words = words.map(Self.singular)
  }

  private static let irregular = ["people": "person", "children": "child", "media": "medium", "data": "data", "status": "status"]

  private static func singular(_ word: String) -> String {
    if let known = irregular[word] { return known }
    if word.count > 4, word.hasSuffix("ies") { return word.dropLast(3) + "y" }
    if word.count > 4, ["ses", "xes", "ches", "shes"].contains(where: word.hasSuffix) { return String(word.dropLast(2)) }
    if word.count > 3, word.hasSuffix("s"), !word.hasSuffix("ss") || word == "ids", !word.hasSuffix("us"), !word.hasSuffix("is") {
      return String(word.dropLast())
    }
    return word == "ids" ? "id" : word
  }

  private func has(_ set: Set<String>) -> Bool { words.contains(where: set.contains) }

  private static let identifiers: Set<String> = ["id", "uuid", "guid", "identifier", "ref", "reference", "key"]
  /// `id`, `_id`, `uuid`.
  var isPlainIdentifier: Bool { words.count == 1 && ["id", "uuid", "guid", "identifier", "key"].contains(words[0]) }
  /// `carId`, `owner_ref`.
  var isIdentifier: Bool { words.last.map(Self.identifiers.contains) ?? false }
  /// The words before `Id`.
  var stem: [String] { isIdentifier ? words.dropLast() : words }

  /// Names of values that often are unique without being an identifier.
  var isUniqueName: Bool {
    isIdentifier || has(["number", "code", "path", "slug", "hash", "checksum", "token", "serial", "isbn", "entry", "file"])
  }

  var isTime: Bool {
    has(["date", "time", "timestamp", "created", "updated", "modified", "when", "deadline", "birthday"])
      || ["at", "on", "until", "since", "start", "end", "day"].contains(words.last ?? "")
  }

  /// Names of values that people write.
  var isProse: Bool {
    has([
      "name", "title", "subtitle", "description", "descrip", "note", "comment", "text", "body", "message", "caption", "summary",
      "address", "location", "merchant", "emoji", "path", "url", "phone", "email", "tag", "instruction", "size", "version",
      "device",
      "icon", "model", "label", "city", "initial", "suggestion",
    ]) && !isKind
  }

  /// Names of values that come from a short list.
  var isKind: Bool {
    guard let last = words.last else { return false }
    return [
      "type", "kind", "status", "state", "reason", "mode", "category", "level", "role", "unit", "frequency", "method", "currency",
      "language", "locale", "theme", "cycle", "source", "gender", "priority", "severity", "format", "difficulty", "class",
      "system",
      "option", "visibility", "direction", "phase", "stage", "group",
    ].contains(last)
  }

  /// The same for numbers.
  var isNumericKind: Bool {
    guard let last = words.last else { return false }
    return [
      "type", "kind", "status", "state", "reason", "mode", "category", "level", "role", "class", "phase", "stage", "gender",
      "priority",
      "severity",
    ].contains(last)
  }

  var isAmount: Bool {
    has([
      "amount", "cost", "price", "total", "balance", "value", "rate", "sum", "fee", "tax", "salary", "paid", "volume", "quantity",
    ])
  }
  var isTotal: Bool { has(["total", "sum", "subtotal"]) }
  var isCode: Bool { has(["phone", "zip", "postal", "code", "number", "version", "pin", "isbn", "iban", "id"]) }
  var isVersion: Bool { words.last == "version" }

  /// Names of what happens first, and of what happens later.
  var isEarlier: Bool {
    has(["created", "start", "started", "begin", "began", "opened", "from", "initial", "first", "min", "minimum"])
  }
  var isLater: Bool {
    has([
      "updated", "modified", "changed", "end", "ended", "finished", "closed", "until", "to", "completed", "expire", "last",
      "current",
      "max", "maximum",
    ])
  }

  /// True if both names share a word that means something.
  func shares(_ other: [String]) -> Bool { stem.contains { $0.count > 2 && other.contains($0) } }
}
