import Foundation
import TestSupport
import Testing

/// A value of a JSON document that a test writes, and changes in places.
indirect enum ExportValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// A number, `true`, `false` or `null`, as it is written.
  case plain(String)
  case text(String)
  case list([ExportValue])
  case object([(key: String, value: ExportValue)])

  static let null = ExportValue.plain("null")
  static func number(_ number: Int) -> ExportValue { .plain("\(number)") }

  init(stringLiteral text: String) { self = .text(text) }
  init(integerLiteral number: Int) { self = .number(number) }
  init(booleanLiteral value: Bool) { self = .plain("\(value)") }
  init(arrayLiteral items: ExportValue...) { self = .list(items) }
  init(dictionaryLiteral members: (String, ExportValue?)...) {
    self = .object(members.compactMap { key, value in value.map { (key, $0) } })
  }

  /// The member of an object; `nil` removes it.
  subscript(key: String) -> ExportValue? {
    get { if case .object(let members) = self { members.first { $0.key == key }?.value } else { nil } }
    set {
      guard case .object(var members) = self else { return }
      switch (members.firstIndex { $0.key == key }, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append((key, value))
      case (nil, nil): break
      }
      self = .object(members)
    }
  }

  /// An item of a list, or the value of an object's member.
  subscript(index: Int) -> ExportValue? {
    get {
      switch self {
      case .list(let items): items.indices.contains(index) ? items[index] : nil
      case .object(let members): members.indices.contains(index) ? members[index].value : nil
      default: nil
      }
    }
    set {
      guard let newValue else { return }
      switch self {
      case .list(var items):
        items[index] = newValue
        self = .list(items)
      case .object(var members):
        members[index].value = newValue
        self = .object(members)
      default: break
      }
    }
  }

  /// The index of the first record whose member is a text.
  func index(where key: String, is text: String) -> Int? {
    guard case .list(let items) = self else { return nil }
    return items.firstIndex { if case .text(text) = $0[key] { true } else { false } }
  }

  var json: String {
    switch self {
    case .plain(let text): text
    case .text(let text): "\"\(text)\""
    case .list(let items): "[\(items.map(\.json).joined(separator: ", "))]"
    case .object(let members): "{\(members.map { "\"\($0.key)\": \($0.value.json)" }.joined(separator: ", "))}"
    }
  }
}

/// An app that exports its data each month. Its rules stay; records are new, and dates, ids, counters and versions go on.
struct AppExport: CustomTestStringConvertible, Sendable {
  /// A mistake in an export, and the keyword and the place of the finding that a draft must give.
  struct Mistake: CustomTestStringConvertible, Sendable {
    let name: String
    let keyword: String
    let pointer: String
    let make: @Sendable (inout ExportValue) -> Void

    init(_ name: String, _ keyword: String, _ pointer: String, _ make: @escaping @Sendable (inout ExportValue) -> Void) {
      (self.name, self.keyword, self.pointer, self.make) = (name, keyword, pointer, make)
    }

    var testDescription: String { name }
  }

  let name: String
  /// The relations that a draft has, as `RuleFacts` describes them.
  let facts: [String]
  /// Makes the export of a month, from 1 to 12.
  let export: @Sendable (_ month: Int, _ random: inout SeededRandom) -> ExportValue
  let mistakes: [Mistake]

  var testDescription: String { name }

  func export(month: Int, seed: UInt64) -> ExportValue {
    var random = SeededRandom(seed: seed &* 12 &+ UInt64(month))
    return export(month, &random)
  }
}

extension SeededRandom {
  fileprivate mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
  fileprivate mutating func one<Value>(of values: [Value]) -> Value { values[number(0...(values.count - 1))] }
}

/// `07`
private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
private func date(_ month: Int, _ day: Int) -> String { "2026-\(two(month))-\(two(day))" }
private func germanDate(_ month: Int, _ day: Int) -> String { "\(two(day)).\(two(month)).2026" }
/// `-1234.50`
private func money(_ cents: Int) -> String { "\(cents < 0 ? "-" : "")\(abs(cents) / 100).\(two(abs(cents) % 100))" }
private func milliseconds(_ month: Int, _ day: Int) -> Int { 1_767_225_600_000 + (month * 31 + day) * 86_400_000 }

extension AppExport {
  static let all = [podcasts, ledger, clinic, workouts]

  /// Nested collections, times in milliseconds, members by state and by flag.
  static let podcasts = AppExport(
    name: "podcasts",
    facts: [
      "key /podcasts id", "key /podcasts/*/episodes guid", "reference /queue episodeGuid to /podcasts/*/episodes by guid",
      "count /podcastCount /podcasts", "format /podcasts/*/subscribedAt unix-time-ms", "enum /podcasts/*/episodes/*/status ",
      "condition /podcasts/*/episodes/* status: playedAt", "condition /podcasts/*/episodes/* downloaded: file, fileSize",
      "order /podcasts/*/episodes/*/chapters/*/endSecond 1/startSecond", "key /folders id",
      "reference /podcasts folder to /folders by id",
    ],
    export: { month, random in
      var guid = month * 1000
      let podcasts = (1...6).map { number -> ExportValue in
        let episodes = (1...random.number(6...14)).map { _ -> ExportValue in
          guid += random.number(1...3)
          let status = random.one(of: ["new", "playing", "played"])
          let isDownloaded = random.number(0...2) == 0
          let published = milliseconds(month, random.number(1...20))
          let chapters = (0..<random.number(0...4)).map { chapter -> ExportValue in
            ["startSecond": .number(chapter * 300), "endSecond": .number(chapter * 300 + random.number(10...300))]
          }
          return [
            "guid": .text("tag:cast,2026:\(guid)"), "title": .text("Episode \(guid)"), "publishedAt": .number(published),
            "duration": .number(random.number(600...5400)), "status": .text(status),
            "playedAt": status == "played" ? .number(published + random.number(1...9) * 3_600_000) : nil,
            "downloaded": .plain("\(isDownloaded)"), "file": isDownloaded ? .text("media/\(guid).mp3") : nil,
            "fileSize": isDownloaded ? .number(random.number(1_000_000...90_000_000)) : nil, "chapters": .list(chapters),
          ]
        }
        return [
          "id": .number(number * 17 + month), "title": .text("Podcast \(number)"),
          "feedUrl": .text("https://example.com/\(number).xml"),
          "folder": .number(random.number(1...2) * 100 + month), "subscribedAt": .number(milliseconds(month, number)),
          "episodes": .list(episodes),
        ]
      }
      let queue = podcasts.prefix(4).compactMap { podcast -> ExportValue? in
        podcast["episodes"]?[0]?["guid"].map { ["episodeGuid": $0, "position": .number(random.number(0...500))] }
      }
      return [
        "format": "cast", "version": 4, "appVersion": .text("5.\(month).0"), "documentVersion": .number(40 + month),
        "exportedAt": .text("\(date(month, 28))T08:00:00Z"), "podcastCount": .number(podcasts.count),
        "folders": .list((1...3).map { ["id": .number($0 * 100 + month), "name": .text("Folder \($0)")] }),
        "podcasts": .list(podcasts), "queue": .list(queue),
      ]
    },
    mistakes: [
      Mistake("a number as text", "type", "/podcasts/2/episodes/1/duration") {
        $0["podcasts"]?[2]?["episodes"]?[1]?["duration"] = "1800"
      },
      Mistake("a dangling reference", "foreignKeys", "/queue/1/episodeGuid") {
        $0["queue"]?[1]?["episodeGuid"] = "tag:cast,2026:0"
      },
      Mistake("a dangling reference of few values", "foreignKeys", "/podcasts/0/folder") { $0["podcasts"]?[0]?["folder"] = 999 },
      Mistake("a duplicate id", "primaryKey", "/podcasts/3/id") {
        let known = $0["podcasts"]?[1]?["id"]
        $0["podcasts"]?[3]?["id"] = known
      },
      Mistake("a missing member", "required", "/podcasts/4/episodes/0/title") {
        $0["podcasts"]?[4]?["episodes"]?[0]?["title"] = nil
      },
      Mistake("a wrong count", "countOf", "/podcastCount") { $0["podcastCount"] = 7 },
      Mistake("an unknown kind", "enum", "/podcasts/0/episodes/0/status") {
        $0["podcasts"]?[0]?["episodes"]?[0]?["status"] = "paused"
      },
      Mistake("a file that is not downloaded", "type", "/podcasts/0/episodes/0/file") {
        $0["podcasts"]?[0]?["episodes"]?[0]?["downloaded"] = false
        $0["podcasts"]?[0]?["episodes"]?[0]?["file"] = "media/1.mp3"
      },
    ])

  /// Decimals as text, German dates, references by names and numbers of accounts, members by kind.
  static let ledger = AppExport(
    name: "ledger",
    facts: [
      "unique /accounts iban", "reference /transactions account to /accounts by iban",
      "reference /transactions category to /categories by name",
      "format /transactions/*/amount decimal", "enum /transactions/*/type ", "unique /transactions number",
      "condition /transactions/* type: card", "condition /transactions/* type: counterIban",
      "sum /statements/*/total 1/lines/*/amount", "order /accounts/*/maxAmount 1/minAmount",
      "format /accounts/*/currency currency",
    ],
    export: { month, random in
      let accounts = (1...3).map { "DE\(10 + $0)37040044\(month)00\($0)" }
      let categories = ["Miete", "Lebensmittel", "Reise", "Gehalt"]
      let transactions = (1...random.number(60...90)).map { number -> ExportValue in
        let type = random.one(of: ["transfer", "card", "fee"])
        let day = random.number(1...27)
        return [
          "number": .text("2026-\(month * 1000 + number)"), "account": .text(random.one(of: accounts)), "type": .text(type),
          "bookedOn": .text(germanDate(month, day)), "amount": .text(money(random.number(-90_000...90_000))),
          "category": .text(random.one(of: categories)), "purpose": .text("Zweck \(random.number(1...1_000_000))"),
          "card": type == "card" ? .text("**** \(random.number(1000...1003))") : nil,
          "counterIban": type == "transfer" ? .text("FR76\(random.number(1_000_000...9_999_999))") : nil,
        ]
      }
      let statements = (1...12).map { number -> ExportValue in
        let lines = (0..<random.number(0...5)).map { _ in random.number(-5000...5000) }
        return [
          "id": .number(month * 100 + number), "from": .text(germanDate(month, 1)), "to": .text(germanDate(month, 27)),
          "startBalance": .text(money(random.number(0...100_000))), "endBalance": .text(money(random.number(0...100_000))),
          "lineCount": .number(lines.count), "lines": .list(lines.map { ["amount": .text(money($0))] }),
          "total": .text(money(lines.reduce(0, +))),
        ]
      }
      return [
        "ledgerVersion": 2, "generator": .text("Kasse 7.\(month)"),
        "accounts": .list(
          accounts.map { iban in
            let least = random.number(0...50_000)
            return [
              "iban": .text(iban), "currency": "EUR", "minAmount": .text(money(least)),
              "maxAmount": .text(money(least + random.number(0...50_000))),
            ]
          }), "categories": .list(categories.map { ["name": .text($0)] }), "transactions": .list(transactions),
        "statements": .list(statements),
      ]
    },
    mistakes: [
      Mistake("a decimal with a comma", "format", "/transactions/2/amount") { $0["transactions"]?[2]?["amount"] = "12,50" },
      Mistake("a number instead of text", "type", "/transactions/3/amount") { $0["transactions"]?[3]?["amount"] = 12 },
      Mistake("an unknown account", "foreignKeys", "/transactions/5/account") {
        $0["transactions"]?[5]?["account"] = "DE00370400440000"
      },
      Mistake("an unknown category", "foreignKeys", "/transactions/6/category") {
        $0["transactions"]?[6]?["category"] = "Sparen"
      },
      Mistake("a duplicate number", "uniqueKeys", "/transactions/7/number") {
        let known = $0["transactions"]?[1]?["number"]
        $0["transactions"]?[7]?["number"] = known
      },
      Mistake("two accounts with one number", "uniqueKeys", "/accounts/2/iban") {
        let known = $0["accounts"]?[1]?["iban"]
        $0["accounts"]?[2]?["iban"] = known
      },
      Mistake("a wrong sum", "sumOf", "/statements/4/total") { $0["statements"]?[4]?["total"] = "1000000.00" },
      Mistake("a maximum below the minimum", "formatMinimum", "/accounts/0/maxAmount") {
        $0["accounts"]?[0]?["maxAmount"] = "-1.00"
      },
      Mistake("a card payment without a card", "required", "/transactions/{type card}/card") { export in
        guard let index = export["transactions"]?.index(where: "type", is: "card") else { return }
        export["transactions"]?[index]?["card"] = nil
      },
      Mistake("a fee with a card", "type", "/transactions/{type fee}/card") { export in
        guard let index = export["transactions"]?.index(where: "type", is: "fee") else { return }
        export["transactions"]?[index]?["card"] = "**** 1000"
      },
    ])

  /// Records by id in an object, null for what a kind lacks, few doctors, times with and without fractions.
  static let clinic = AppExport(
    name: "clinic",
    facts: [
      "key /doctors id", "key /visits id", "reference /visits doctorId to /doctors by id",
      "format /visits/*/start date-time-seconds",
      "order /visits/*/end 1/start", "condition /visits/* kind: vaccine, batch", "condition /visits/* kind: surgeonId, room",
      "reference /visits surgeonId to /doctors by id", "required /patients/* born", "type /patients/*/born string",
      "format /patients/*/born date", "condition /visits/* isPaid: paidAt",
      "reference /visits patientId to /patients by ",
    ],
    export: { month, random in
      let doctors = (1...3).map { $0 * 11 + month * 100 }
      let patients = (1...random.number(8...20)).map { number -> (key: String, value: ExportValue) in
        (
          "p\(month * 1000 + number * 7)",
          [
            "name": .text("Patient \(number)"), "born": .text("19\(random.number(40...99))-0\(random.number(1...9))-11"),
            "allergies": .list((0..<random.number(0...2)).map { .text("allergy \($0)") }),
          ]
        )
      }
      let visits = (1...random.number(70...90)).map { number -> ExportValue in
        let kind = random.one(of: ["checkup", "surgery", "vaccination"])
        let day = date(month, random.number(1...27))
        let isPaid = random.number(0...1) == 1
        let fraction = random.number(0...2) == 0 ? ".250" : ""
        return [
          "id": .number(month * 10_000 + number), "patientId": .text(random.one(of: patients).key), "kind": .text(kind),
          "doctorId": .number(random.one(of: doctors)), "start": .text("\(day)T0\(random.number(7...9)):30:00Z"),
          "end": .text("\(day)T1\(random.number(0...5)):00:00\(fraction)Z"), "vaccine": kind == "vaccination" ? "MMR" : .null,
          "batch": kind == "vaccination" ? .text("B\(random.number(1...99_999))") : .null,
          "surgeonId": kind == "surgery" ? .number(random.one(of: doctors)) : nil,
          "room": kind == "surgery" ? .number(random.number(1...4)) : nil, "isPaid": .plain("\(isPaid)"),
          "paidAt": isPaid ? .text("\(day)T18:00:00Z") : nil, "note": random.number(0...3) == 0 ? "seen" : nil,
        ]
      }
      return [
        "schemaVersion": 1, "revision": .number(900 + month), "createdAt": .text("\(date(month, 28))T20:00:00Z"),
        "patients": .object(patients),
        "doctors": .list(doctors.map { ["id": .number($0), "name": .text("Dr. \($0)"), "minDose": 1, "maxDose": 4] }),
        "visits": .list(visits),
      ]
    },
    mistakes: [
      Mistake("a date with a slash", "format", "/visits/0/start") { $0["visits"]?[0]?["start"] = "2026/12/01" },
      Mistake("an end before the start", "formatMinimum", "/visits/1/end") { $0["visits"]?[1]?["end"] = "2026-01-01T00:00:00Z" },
      Mistake("an unknown doctor", "foreignKeys", "/visits/2/doctorId") { $0["visits"]?[2]?["doctorId"] = 1 },
      Mistake("an unknown patient", "foreignKeys", "/visits/2/patientId") { $0["visits"]?[2]?["patientId"] = "p1" },
      Mistake("a duplicate id", "primaryKey", "/visits/3/id") {
        let known = $0["visits"]?[0]?["id"]
        $0["visits"]?[3]?["id"] = known
      },
      Mistake("a vaccination without its vaccine", "type", "/visits/{kind vaccination}/vaccine") { export in
        guard let index = export["visits"]?.index(where: "kind", is: "vaccination") else { return }
        export["visits"]?[index]?["vaccine"] = .null
      },
      Mistake("a checkup in a theatre", "type", "/visits/{kind checkup}/room") { export in
        guard let index = export["visits"]?.index(where: "kind", is: "checkup") else { return }
        export["visits"]?[index]?["room"] = 2
      },
      Mistake("a surgery without a room", "required", "/visits/{kind surgery}/room") { export in
        guard let index = export["visits"]?.index(where: "kind", is: "surgery") else { return }
        export["visits"]?[index]?["room"] = nil
      },
      Mistake("a patient without a birthday", "required", "/patients/{0}/born") { $0["patients"]?[0]?["born"] = nil },
    ])

  /// An array as the root, sorted by day, with numbers that are in an order or a sum.
  static let workouts = AppExport(
    name: "workouts",
    facts: [
      "sorted root day", "format /*/day date", "order /*/maxPulse 1/minPulse", "order /*/endKm 1/startKm",
      "sum /*/totalMeters 1/laps/*/meters", "key root uuid", "format /*/uuid uuid", "enum /*/sport ",
      "condition /* sport: strokes",
    ],
    export: { month, random in
      var day = 1
      return .list(
        (0..<random.number(40...60)).map { number -> ExportValue in
          if random.number(0...2) == 0, day < 28 { day += 1 }
          let sport = random.one(of: ["run", "swim"])
          let laps = (0..<random.number(1...5)).map { _ in random.number(100...900) }
          let (pulse, km) = (random.number(50...90), random.number(1...5000))
          return [
            "uuid": .text("6F1D2C3B-0000-4000-8000-\(100_000_000_000 + month * 1000 + number * 3)"),
            "day": .text(date(month, day)), "sport": .text(sport), "minPulse": .number(pulse),
            "maxPulse": .number(pulse + random.number(0...90)), "startKm": .number(km),
            "endKm": .number(km + random.number(0...20)),
            "strokes": sport == "swim" ? .number(random.number(100...900)) : nil, "lapCount": .number(laps.count),
            "laps": .list(laps.map { ["meters": .number($0)] }), "totalMeters": .number(laps.reduce(0, +)),
          ]
        })
    },
    mistakes: [
      Mistake("a lower maximum", "minimum", "/3/maxPulse") { $0[3]?["maxPulse"] = 1 },
      Mistake("a lower end", "minimum", "/4/endKm") { $0[4]?["endKm"] = 0 },
      Mistake("a wrong sum", "sumOf", "/5/totalMeters") { $0[5]?["totalMeters"] = 99_999 },
      Mistake("a duplicate id", "primaryKey", "/6/uuid") {
        let known = $0[2]?["uuid"]
        $0[6]?["uuid"] = known
      },
      Mistake("an id in another form", "format", "/7/uuid") { $0[7]?["uuid"] = "7" },
      Mistake("a run with strokes", "type", "/{sport run}/strokes") { export in
        guard let index = export.index(where: "sport", is: "run") else { return }
        export[index]?["strokes"] = 3
      },
    ])
}
