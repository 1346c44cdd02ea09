import TestSupport

/// The record that the tests decode.
struct Trip: Codable, Sendable, Equatable {
  var id: Int
  var name: String
  var stops: [Stop]
  var distance: Double?

  struct Stop: Codable, Sendable, Equatable {
    var place: String
    var minutes: Int
  }

  static func made(_ count: Int, seed: UInt64 = 1) -> [Trip] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { id in
      let stops = (0..<Int(random.next() % 4)).map {
        Stop(place: "é\"\\\n\u{1F50B} \($0)", minutes: Int(random.next() % 1000) - 500)
      }
      return Trip(
        id: id, name: "trip, \"\(id)\" ]}", stops: stops, distance: id % 3 == 0 ? nil : Double(random.next() % 10_000) / 100)
    }
  }
}
