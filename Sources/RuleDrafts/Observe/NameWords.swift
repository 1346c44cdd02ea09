/// The words of a member's name, in lower case and singular, and what they suggest.
///
///     mileageSyncedAt ─▶ mileage, synced, at        photo_ids ─▶ photo, id
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

  private static let irregular = [
    "aliases": "alias", "analyses": "analysis", "atlases": "atlas", "axes": "axis", "biases": "bias", "canvases": "canvas",
    "children": "child", "data": "data", "echoes": "echo", "gases": "gas", "halves": "half", "heroes": "hero", "ids": "id",
    "indices": "index", "knives": "knife", "lenses": "lens", "lives": "life", "matrices": "matrix", "media": "medium",
    "men": "man",
    "people": "person", "potatoes": "potato", "quizzes": "quiz", "shelves": "shelf", "tomatoes": "tomato", "vertices": "vertex",
    "wives": "wife", "women": "woman",
  ]
  /// Words in -s that have no other singular.
  private static let singulars: Set = [
    "alias", "always", "atlas", "bias", "canvas", "corps", "gps", "lens", "news", "series", "sms", "species",
  ]
  /// Words whose singular ends in -ie or -che.
  private static let stemsWithE: Set = [
    "ache", "avalanche", "brownie", "cache", "calorie", "cookie", "foodie", "genie", "headache", "hoodie", "movie", "niche",
    "pie",
    "quiche", "rookie", "selfie", "smoothie", "tie", "zombie",
  ]

  private static func singular(_ word: String) -> String {
    if let known = irregular[word] { return known }
    if singulars.contains(word) { return word }
    let withoutS = String(word.dropLast())
    if ["ies", "ches"].contains(where: word.hasSuffix), stemsWithE.contains(withoutS) { return withoutS }
    if word.count > 4, word.hasSuffix("ies") { return word.dropLast(3) + "y" }
    // classes, statuses, boxes, batches, hashes; but expenses, causes, houses
    let isAfterHiss =
      ["sses", "xes", "ches", "shes"].contains(where: word.hasSuffix)
      || word.hasSuffix("uses") && !["auses", "ouses"].contains(where: word.hasSuffix)
    if word.count > 4, isAfterHiss { return String(word.dropLast(2)) }
    let isPlural = word.count > 3 && word.hasSuffix("s") && !["ss", "us", "is"].contains(where: word.hasSuffix)
    return isPlural ? withoutS : word
  }

  func has(_ set: Set<String>) -> Bool { words.contains(where: set.contains) }
  private func ends(with set: Set<String>) -> Bool { words.last.map(set.contains) ?? false }

  // MARK: Identifiers

  private static let identifiers: Set = ["guid", "id", "identifier", "key", "ref", "reference", "uuid"]
  private static let plainIdentifiers: Set = ["guid", "id", "identifier", "key", "uuid"]
  private static let uniqueWords: Set = [
    "checksum", "code", "entry", "file", "hash", "isbn", "number", "path", "serial", "slug", "token",
  ]
  private static let sharedWords: Set = [
    "area", "batch", "card", "country", "error", "house", "lot", "phone", "postal", "room", "seat", "status", "zip",
  ]
  private static let codeWords: Set = ["code", "iban", "id", "isbn", "number", "phone", "pin", "postal", "version", "zip"]

  /// `id`, `_id`, `uuid`.
  var isPlainIdentifier: Bool { words.count == 1 && ends(with: Self.plainIdentifiers) }
  /// `carId`, `owner_ref`.
  var isIdentifier: Bool { ends(with: Self.identifiers) }
  /// The words before `Id`.
  var stem: [String] { isIdentifier ? words.dropLast() : words }
  /// Names of values that often are unique without being an identifier; not `phoneNumber`, which several people can share.
  var isUniqueName: Bool { isIdentifier || has(Self.uniqueWords) && !has(Self.sharedWords) }
  /// Names of strings of digits that aren't quantities.
  var isCode: Bool { has(Self.codeWords) }
  var isVersion: Bool { words.last == "version" }

  /// True if the name of what an identifier identifies has a word of the other name.
  func shares(_ other: [String]) -> Bool { stem.contains { $0.count > 2 && other.contains($0) } }

  /// True if the name can be that of a reference to a collection: `carId`, `car`, `rentedCar`, `carRecord`; not `carPrice`.
  func refers(to collection: [String]) -> Bool {
    if isIdentifier { return shares(collection) }
    let last = words.last { !["entry", "from", "item", "record", "to"].contains($0) } ?? ""
    return last.count > 2 && last == collection.last
  }

  private static let roles: Set = [
    "approver", "assignee", "author", "boss", "creator", "editor", "manager", "owner", "reporter", "representative", "reviewer",
    "salesperson", "seller", "supervisor",
  ]
  /// What somebody did: `createdBy`.
  private static let deeds: Set = [
    "added", "approved", "assigned", "changed", "closed", "created", "deleted", "edited", "invited", "managed", "modified",
    "opened",
    "owned", "posted", "reported", "requested", "reviewed", "submitted", "updated", "uploaded", "written",
  ]
  private static let people: Set = ["colleague", "employee", "member", "person", "staff", "user", "worker"]

  /// Names of what somebody is to a record: `supportRepId`, `owner`, `createdBy`, `reportsTo`.
  var isRole: Bool {
    guard let last = stem.last else { return false }
    let previous = stem.dropLast().last
    return Self.roles.contains(last) || stem == ["report", "to"] || last == "by" && previous.map(Self.deeds.contains) == true
      || last == "rep" && (isIdentifier || previous == "sale" || previous == "support")
  }
  /// Names of collections of people who have such roles.
  static func arePeople(_ collection: [String]) -> Bool { collection.last.map(people.contains) ?? false }

  // MARK: Texts and kinds

  private static let proseWords: Set = [
    "address", "body", "caption", "city", "comment", "desc", "device", "email", "emoji", "icon", "initial", "instruction",
    "label",
    "location", "merchant", "message", "model", "name", "note", "path", "phone", "size", "subtitle", "suggestion", "summary",
    "tag",
    "text", "title", "url", "version",
  ]
  private static let numericKinds: Set = [
    "category", "gender", "kind", "mode", "priority", "reason", "role", "severity", "state", "status", "type",
  ]
  private static let kinds = numericKinds.union([
    "class", "currency", "cycle", "difficulty", "direction", "format", "frequency", "language", "level", "locale",
    "method",
    "option", "phase", "source", "stage", "system", "theme", "unit", "visibility",
  ])

  /// Names of values that people write; also `descr` and other abbreviations of description.
  var isProse: Bool { (has(Self.proseWords) || words.contains { $0.hasPrefix("descr") }) && !isKind }
  private static let participants: Set = [
    "account", "agent", "artist", "assignee", "author", "band", "brand", "by", "client", "coach", "company", "contact", "creator",
    "customer", "doctor", "driver", "employee", "group", "guest", "host", "instructor", "manager", "member", "owner", "patient",
    "person",
    "player", "publisher", "recipient", "seller", "sender", "site", "station", "student", "supplier", "teacher", "team",
    "trainer", "user",
    "vendor",
  ]
  /// Names of people and places, of which there will be further ones.
  var isParticipant: Bool { ends(with: Self.participants) }
  /// Names of values that come from a short list.
  var isKind: Bool { ends(with: Self.kinds) }
  /// The same for numbers, which for levels and phases go on.
  var isNumericKind: Bool { ends(with: Self.numericKinds) }

  // MARK: Quantities and times

  private static let timeWords: Set = [
    "birthday", "created", "date", "deadline", "modified", "time", "timestamp", "updated", "when",
  ]
  private static let timeEnds: Set = ["at", "day", "end", "on", "since", "start", "until"]
  private static let amounts: Set = [
    "amount", "balance", "cost", "fee", "paid", "price", "quantity", "rate", "salary", "sum", "tax", "total", "value", "volume",
  ]
  private static let totals: Set = ["subtotal", "sum", "total"]
  private static let counts: Set = ["count", "length", "num", "number", "size", "total"]
  private static let leastWords: Set = ["low", "lower", "lowest", "min", "minimum"]
  private static let mostWords: Set = ["high", "highest", "max", "maximum", "upper"]
  private static let earlierWords = leastWords.union([
    "began", "begin", "created", "departed", "departure", "first", "from", "initial", "opened", "start", "started", "von",
  ])
  private static let laterWords = mostWords.union([
    "arrival", "arrived", "bis", "changed", "closed", "completed", "current", "end", "ended", "expire", "finish", "finished",
    "last", "modified", "to", "until", "updated",
  ])
  private static let varying: Set = ["battery", "charge", "level", "percent", "score", "temperature", "weight"]

  var isTime: Bool { has(Self.timeWords) || ends(with: Self.timeEnds) }
  var isAmount: Bool { has(Self.amounts) }
  var isTotal: Bool { has(Self.totals) }
  var isCount: Bool { has(Self.counts) }
  /// Names of quantities that rise and fall, unless they are a least or a most one: `startBalance`.
  var isVarying: Bool { (isAmount || has(Self.varying)) && !has(Self.leastWords) && !has(Self.mostWords) }
  /// Names of what happens first, and of what happens later.
  var isEarlier: Bool { has(Self.earlierWords) }
  var isLater: Bool { has(Self.laterWords) }
}
