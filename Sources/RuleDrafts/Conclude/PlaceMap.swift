import JSONEvents

/// Where places are: their pointers, and the collections that hold them.
struct PlaceMap: Sendable {
  struct Collection: Sendable {
    /// The place of the array, and of the records in it.
    let array: Int
    let record: Int
    /// The array's pointer, with `*` for any item.
    let pointer: String
    /// The words of the last name in it.
    let words: [String]
    /// True if it isn't part of another collection.
    let isOutermost: Bool
  }

  private(set) var collections: [Collection] = []
  private(set) var pointers: [Int: String] = [:]
  /// The places that a document has at most once.
  private(set) var single: Set<Int> = []

  init(_ places: ContiguousArray<Place>) { walk(places, 0, "", "", isSingle: true, isNamed: true) }

  /// - Parameters:
  ///   - name: the last name that leads to the place.
  ///   - isSingle: true if a document has the place at most once.
  ///   - isNamed: true if rules can refer to the place: no name that leads there is data, or `*`.
  private mutating func walk(
    _ places: ContiguousArray<Place>, _ place: Int, _ pointer: String, _ name: String, isSingle: Bool, isNamed: Bool
  ) {
    pointers[place] = pointer
    if isSingle { single.insert(place) }
    for member in places[place].orderedMembers {
      let name = member.string
      // In the pointers of rules, `*` means any item, never a member of that name.
      walk(
        places, member.place, pointer + "/" + name.pointerToken, name, isSingle: isSingle, isNamed: isNamed && name != "*")
    }
    if places[place].others >= 0 {
      walk(places, places[place].others, pointer + "/{name}", name, isSingle: false, isNamed: false)
    }
    let items = places[place].items
    if items >= 0 {
      // Keys and references apply to arrays of records. At an object, they would check nothing.
      if places[items].objects > 0, places[place].objects == 0, isNamed {
        collections.append(
          Collection(array: place, record: items, pointer: pointer, words: NameWords(name).words, isOutermost: isSingle))
      }
      walk(places, items, pointer + "/*", name, isSingle: false, isNamed: isNamed)
    }
  }

  /// The words of the last name with letters that leads to a place.
  func nameWords(of place: Int) -> NameWords {
    let tokens = pointer(of: place).pointerTokens ?? []
    return NameWords(tokens.last { $0 != "{name}" && $0.contains(where: \.isLetter) } ?? "")
  }

  func pointer(of place: Int) -> String { pointers[place] ?? "" }

  func collection(ofRecord record: Int) -> Collection? { collections.first { $0.record == record } }
}
