import JSONEvents
import Rules

/// Recognises objects whose members' names are data, such as ids or dates, and makes one place of their values.
///
///     { "2026-01-01": 3, "2026-01-02": 5, … }   ─▶   one place for all values
enum MapFolding {
  static func fold(_ observation: inout DocumentObservation) {
    var index = 0
    // Folding adds places.
    while index < observation.places.count {
      if isMap(observation.places[index]) { fold(index, &observation) }
      index += 1
    }
  }

  private static func fold(_ index: Int, _ observation: inout DocumentObservation) {
    let members = observation.places[index].members
    if observation.places[index].others < 0 {
      observation.places.append(Place())
      observation.places[index].others = observation.places.count - 1
    }
    observation.places[index].members = []
    observation.places[index].otherCount += members.reduce(0) { $0 + $1.presence }
    for member in members { observation.fold(member.place, into: observation.places[index].others) }
  }

  private static func isMap(_ place: Place) -> Bool {
    let members = place.members
    if members.isEmpty { return false }
    if members.count >= DocumentObservation.memberLimit, place.otherCount > 0 { return true }
    if members.count >= 4, members.allSatisfy({ isData($0.name.bytes) }) { return true }
    guard members.count >= 16, place.objects > 1 else { return false }
    let presence = members.reduce(0) { $0 + $1.presence }
    return Double(presence) < 0.3 * Double(members.count) * Double(place.objects)
  }

  /// Numbers, dates and UUIDs.
  private static func isData(_ name: [UInt8]) -> Bool {
    if !name.isEmpty, name.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) { return true }
    return ByteView.with(String(decoding: name, as: UTF8.self)) { text in
      [StringFormat.uuid, .date, .dateTime].contains { $0.accepts(text) }
    }
  }
}
