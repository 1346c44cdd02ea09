/// Parts of a document, which are observed on other threads, and places of one document that turn out to be one.
extension DocumentObservation {
  /// An observation of further items of the innermost open array, which has none yet.
  package var partForItems: DocumentObservation {
    var part = DocumentObservation()
    part.outerDepth = outerDepth + outer.count
    // An array around the items, so that they are counted.
    part.places[0].items = 1
    part.top = Open(place: 0, isObject: false)
    if ignoredDepth == 0, !top.isObject, places[top.place].items >= 0 {
      _ = part.addBlank(places[top.place].items, of: places)
    } else {
      part.places.append(Place())
    }
    return part
  }

  /// Adds a place, and all in it, without values.
  private mutating func addBlank(_ index: Int, of others: ContiguousArray<Place>) -> Int {
    let new = places.count
    places.append(others[index].blank)
    for member in places[new].members.indices {
      let place = addBlank(others[index].members[member].place, of: others)
      places[new].members[member].place = place
    }
    if others[index].items >= 0 {
      let place = addBlank(others[index].items, of: others)
      places[new].items = place
    }
    if others[index].others >= 0 {
      let place = addBlank(others[index].others, of: others)
      places[new].others = place
    }
    return new
  }

  /// Adds the next items of the innermost open array.
  package mutating func merge(items part: DocumentObservation) {
    guard ignoredDepth == 0, !top.isObject else { return }
    top.items += part.top.items
    unobservedCount += part.unobservedCount
    let place = items(of: top.place)
    if place >= 0 { merge(part.places, 1, into: place) }
  }

  /// Merges a place into another one, of the same documents.
  mutating func fold(_ index: Int, into place: Int) { merge(nil, index, into: place) }

  /// - Parameters:
  ///   - part: the places of another part of the document, or `nil` for these places.
  ///   - index: a place of the part.
  ///   - place: the same place here.
  private mutating func merge(_ part: ContiguousArray<Place>?, _ index: Int, into place: Int) {
    let other = part?[index] ?? places[index]
    places[place].nulls += other.nulls
    places[place].falses += other.falses
    places[place].trues += other.trues
    places[place].arrays += other.arrays
    places[place].objects += other.objects
    places[place].numbers.merge(other.numbers)
    places[place].texts.merge(other.texts)
    mergeColumn(other.column, into: place)
    places[place].minimumItems = min(places[place].minimumItems, other.minimumItems)
    places[place].maximumItems = max(places[place].maximumItems, other.maximumItems)
    if other.items >= 0 {
      let items = items(of: place)
      if items >= 0 { merge(part, other.items, into: items) }
    }
    mergeMembers(of: other, part, into: place)
  }

  private mutating func mergeColumn(_ column: KeyColumn, into place: Int) {
    let hasNonIntegers = !places[place].numbers.areIntegers
    if hasNonIntegers || column.hasOthers { return places[place].column.giveUp() }
    if column.count > 0, places[place].column.count == 0, !takesSketch() { return places[place].column.giveUp() }
    places[place].column.merge(column)
  }

  private mutating func mergeMembers(of other: Place, _ part: ContiguousArray<Place>?, into place: Int) {
    // The members here, by index there.
    var known: [Int] = []
    for member in other.members {
      let index = places[place].index(of: member, expected: known.count)
      if index >= 0 {
        places[place].members[index].presence += member.presence
        merge(part, member.place, into: places[place].members[index].place)
        known.append(index)
      } else if places[place].members.count < Self.memberLimit, let new = newPlace() {
        merge(part, member.place, into: new)
        places[place].append(member, at: new, after: member.predecessor < 0 ? -1 : known[member.predecessor])
        known.append(places[place].members.count - 1)
      } else {
        places[place].otherCount += member.presence
        let others = others(of: place)
        if others >= 0 { merge(part, member.place, into: others) }
        known.append(-1)
      }
    }
    places[place].otherCount += other.otherCount
    if other.others >= 0 {
      let others = others(of: place)
      if others >= 0 { merge(part, other.others, into: others) }
    }
  }
}

extension Place {
  /// Returns the index of a member with this name, or -1. Parts of a document have their members mostly in the same order.
  fileprivate func index(of member: Member, expected: Int) -> Int {
    if expected < members.count, members[expected].name == member.name { return expected }
    return members.firstIndex { $0.name == member.name } ?? -1
  }
}
