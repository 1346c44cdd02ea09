import Coffer
import CofferSQLite
import GRDB
import TestSupport
import Testing

/// Imports into large tables give the same result as a model in memory, whichever rows were added, removed, changed or moved.
@Suite struct ImportModelTests {
  private struct Trip: Equatable {
    var id: Int
    var km: Int

    var text: String { #"{"id":\#(id),"km":\#(km)}"# }
  }

  private static func document(_ trips: [Trip]) -> String {
    #"{"cars":[],"trips":[\#(trips.map(\.text).joined(separator: ","))]}"#
  }

  /// Makes the edits that a user may make to a list between two backups.
  private static func edited(_ trips: [Trip], _ random: inout SeededRandom) -> [Trip] {
    var trips = trips
    var next = (trips.map(\.id).max() ?? 0) + 1
    func place(_ random: inout SeededRandom) -> Int {
      [0, trips.count, Int.random(in: 0...trips.count, using: &random)].randomElement(using: &random) ?? 0
    }
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let count = min([1, 1, 3, 20, 5000].randomElement(using: &random) ?? 1, trips.count)
      let start = min(place(&random), trips.count - count)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: trips.removeSubrange(start..<start + count)
      case 1:
        trips.insert(contentsOf: (0..<count + 1).map { Trip(id: next + $0, km: $0) }, at: place(&random))
        next += count + 1
      case 2: for index in start..<start + count { trips[index].km += 1 }
      case 3: for index in start..<start + count { trips[index].id += 1_000_000 }
      case 4: trips[start..<start + count].shuffle(using: &random)
      default:
        let moved = Array(trips[start..<start + count])
        trips.removeSubrange(start..<start + count)
        trips.insert(contentsOf: moved, at: place(&random))
      }
    }
    var seen: Set<Int> = []
    return trips.filter { seen.insert($0.id).inserted }
  }

  @Test(arguments: TestDepth.cases(everyday: 50, deep: 400) as Range<Int>) func `an import gives the same result as the model`(
    seed: Int
  ) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let size = [0, 1, 9, 40, 300, 9000].randomElement(using: &random) ?? 0
    let before = (0..<size).map { Trip(id: $0 + 1, km: $0) }
    for mode in DatabaseImportOptions.Mode.allCases {
      let after = Self.edited(before, &random)
      let database = try DatabaseQueue()
      try Storing.put(Self.document(before), into: database)
      try database.write { try $0.execute(sql: "ALTER TABLE trips ADD COLUMN mine INTEGER; UPDATE trips SET mine = id * 10") }
      let report = try Storing.put(Self.document(after), into: database, Storing.options(mode, .replace))

      let old = Dictionary(uniqueKeysWithValues: before.map { ($0.id, $0.km) })
      let new = Dictionary(uniqueKeysWithValues: after.map { ($0.id, $0.km) })
      let added = after.filter { old[$0.id] == nil }
      let expected =
        mode == .replace ? after : before.map { Trip(id: $0.id, km: new[$0.id] ?? $0.km) } + added
      let changes = try #require(report.changes.collections.first { $0.pointer == "/trips" })
      #expect(changes.inserted == added.count)
      #expect(changes.replaced == after.count { trip in old[trip.id].map { $0 != trip.km } ?? false })
      #expect(changes.unchanged == after.count { old[$0.id] == $0.km })
      #expect((mode == .replace ? changes.removed : changes.onlyInDatabase) == before.count { new[$0.id] == nil })
      // A replacement that changes no record leaves the table and its order as they are.
      let isSame = changes.inserted + changes.replaced + changes.removed == 0
      #expect(try Storing.text(of: database) == Self.document(isSame ? before : expected))
      let kept = try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM trips WHERE mine = id * 10") }
      #expect(kept == (isSame ? before : expected).count { old[$0.id] != nil })
      let indexes = try database.read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'trips_by_%'")
      }
      #expect(indexes == 2)
    }
  }
}
