import Coffer
import CofferFolders
import TestSupport
import Testing

/// Kept and removed backups, as tables: `v` valid, `i` invalid, `d` damaged, `u` unreadable, `n` of a newer version; then the age
/// in days and, after a colon, the format. Reasons are in brackets.
@Suite struct RetentionPlanTests {
  static let now = Instant(seconds: 1_782_681_300)

  static let tables: [(backups: String, last: Int?, within: String?, plan: String)] = [
    // One limit.
    ("v1 v2 v3", 2, nil, "v1[newest] v2[newest] - v3[too-many]"),
    ("v1 v2 v3", 3, nil, "v1[newest] v2[newest] v3[newest] -"),
    ("v1 v30 v31", nil, "30d", "v1[within] v30[within] - v31[too-old]"),
    // Both limits must hold.
    ("v1 v2 v40", 5, "30d", "v1[newest,within] v2[newest,within] - v40[too-old]"),
    ("v1 v2 v3 v40", 2, "30d", "v1[newest,within] v2[newest,within] - v3[too-many] v40[too-many,too-old]"),
    // The last valid backup is kept.
    ("v40 v50", nil, "30d", "v40[last-valid] - v50[too-old]"),
    ("v40 v50", 5, "30d", "v40[last-valid] - v50[too-old]"),
    ("i1 v40 v50", nil, "30d", "i1[within] v40[last-valid] - v50[too-old]"),
    ("i1 d2 v40", 1, "30d", "i1[among-newest,within] d2[among-newest,within] v40[last-valid] -"),
    // Backups that aren't valid take no place, and are kept as long as a valid one in their place would be.
    (
      "i1 v2 i3 v4 i5 v6", 2, nil, "i1[among-newest] v2[newest] i3[among-newest] v4[newest] - i5[too-many] v6[too-many]"
    ),
    ("v1 i40 d41", nil, "30d", "v1[within] - i40[too-old] d41[too-old]"),
    // If nothing is valid, nothing is removed.
    ("i1 i40 d50", nil, "30d", "i1[within] i40[none-valid] d50[none-valid] -"),
    ("d1 d2", 1, nil, "d1[among-newest] d2[among-newest] -"),
    // Backups in an unknown state are kept and take no place.
    (
      "u1 v2 u3 n4 v5 u60", 1, "30d",
      "u1[unreadable] v2[newest,within] u3[unreadable] n4[newer-version] u60[unreadable] - v5[too-many]"
    ),
    // A backup from more than a day in the future has no age.
    ("v-400 v1 v2", 1, nil, "v-400[in-future] v1[newest] - v2[too-many]"),
    ("v-2 i3", 1, "1d", "v-2[in-future] i3[none-valid] -"),
    ("v-1 v1", 1, "1d", "v-1[newest,within] - v1[too-many]"),
    // Formats are independent.
    ("v1:a v2:a v40:b v50:b", 1, nil, "v1:a[newest] v40:b[newest] - v2:a[too-many] v50:b[too-many]"),
    ("v1:a v40:b i41:c", nil, "30d", "v1:a[within] v40:b[last-valid] i41:c[none-valid] -"),
    ("", 1, nil, " -"),
  ]

  @Test(arguments: tables)
  func `each set of backups gives its plan`(_ backups: String, last: Int?, within: String?, plan: String) throws {
    let policy = try #require(RetentionPolicy(keepLast: last, keepWithin: within.flatMap { BackupAge($0) }))
    let backups = backups.split(separator: " ").map { Self.backup(String($0)) }
    #expect(Self.text(of: RetentionPlan(for: backups, by: policy, at: Self.now)) == plan)
    #expect(Self.text(of: RetentionPlan(for: backups.reversed(), by: policy, at: Self.now)) == plan)
  }

  /// Now is a Sunday evening.
  static let periodTables: [(backups: String, last: Int?, each: [RetentionPeriod: Int], plan: String)] = [
    // Days without a backup don't count.
    ("v0 v3 v5", nil, [.day: 2], "v0[newest-of-day] v3[newest-of-day] - v5[too-many-days]"),
    // Weeks begin on Monday.
    (
      "v0 v6 v7 v8 v14", nil, [.week: 2],
      "v0[newest-of-week] v7[newest-of-week] - v6[newer-of-week] v8[newer-of-week] v14[too-many-weeks]"
    ),
    (
      "v0 v27 v28 v58 v59", nil, [.month: 2],
      "v0[newest-of-month] v28[newest-of-month] - v27[newer-of-month] v58[newer-of-month] v59[too-many-months]"
    ),
    ("v0 v178 v179 v544", nil, [.year: 2], "v0[newest-of-year] v179[newest-of-year] - v178[newer-of-year] v544[too-many-years]"),
    // While there are too few periods, the oldest is kept.
    ("v0 v1 v2", nil, [.week: 3], "v0[newest-of-week] v2[oldest] - v1[newer-of-week]"),
    ("v0 v1 v2 i3", nil, [.week: 3], "v0[newest-of-week] v2[oldest] - v1[newer-of-week] i3[newer-of-week]"),
    // Periods are independent of each other.
    (
      "v0 v1 v30 v200 v400", nil, [.day: 1, .year: 2],
      "v0[newest-of-day,newest-of-year] v200[newest-of-year] - v1[too-many-days,newer-of-year] v30[too-many-days,newer-of-year] v400[too-many-days,newer-of-year]"
    ),
    // Backups that aren't valid are kept as long as a valid one in their place would be.
    ("i0 v1 d2 v7", nil, [.week: 1], "i0[among-newest-of-week] v1[newest-of-week] - d2[newer-of-week] v7[too-many-weeks]"),
    ("i0 d9", nil, [.day: 1], "i0[among-newest-of-day] d9[among-newest-of-day] -"),
    ("v-9 u1 v2 v3", nil, [.day: 1], "v-9[in-future] u1[unreadable] v2[newest-of-day] - v3[too-many-days]"),
    // They keep more than the limits do.
    (
      "v0 v1 v7 v40", 1, [.month: 2],
      "v0[newest,newest-of-month] v40[newest-of-month] - v1[too-many,newer-of-month] v7[too-many,newer-of-month]"
    ),
    ("v0 v1 v40", 2, [.year: 1], "v0[newest,newest-of-year] v1[newest] - v40[too-many,newer-of-year]"),
  ]

  @Test(arguments: periodTables)
  func `the newest of each period is kept`(_ backups: String, last: Int?, each: [RetentionPeriod: Int], plan: String) throws {
    let policy = try #require(RetentionPolicy(keepLast: last, keepEach: each))
    let backups = backups.split(separator: " ").map { Self.backup(String($0)) }
    #expect(Self.text(of: RetentionPlan(for: backups.reversed(), by: policy, at: Self.now, clock: .utc)) == plan)
  }

  @Test func `backups of the same time count once, and none is removed for another`() throws {
    func backup(_ name: String, daysAgo days: Int64) -> ListedBackup {
      let made = Instant(seconds: Self.now.seconds - days * 86400)
      return ListedBackup(name: name, format: "a", created: .init(made, by: .document), validity: .valid)
    }
    let names = ["b-10.json", "b-2.json", "b.json", "a.json"]
    let backups = names.map { backup($0, daysAgo: 1) } + [backup("c.json", daysAgo: 2), backup("d.json", daysAgo: 3)]
    for policy in [RetentionPolicy(keepLast: 2), RetentionPolicy(keepEach: [.day: 2])] {
      for backups in [backups, backups.reversed()] {
        let plan = RetentionPlan(for: backups, by: try #require(policy), at: Self.now, clock: .utc)
        #expect(plan.keep.map(\.backup.name) == names + ["c.json"])
        #expect(plan.remove.map(\.backup.name) == ["d.json"])
      }
    }
  }

  /// Random folders: each backup is kept or removed, the newest valid one of each format is kept, and a second plan removes
  /// nothing.
  @Test(arguments: TestDepth.cases(everyday: 60, deep: 200))
  func `the newest valid backup of each format is always kept`(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let backups = (0..<Int.random(in: 0...20, using: &random)).map { number in
      let kind = "vviidun".randomElement(using: &random) ?? "v"
      let format = "ab".randomElement(using: &random) ?? "a"
      return Self.backup("\(kind)\(Int.random(in: -3...60, using: &random)):\(format)", number: number)
    }
    let last = Int.random(in: 0...4, using: &random)
    let within = last == 0 || Bool.random(using: &random) ? BackupAge("10d") : nil
    var each: [RetentionPeriod: Int] = [:]
    for period in RetentionPeriod.allCases where Int.random(in: 0...2, using: &random) == 0 {
      each[period] = Int.random(in: 1...4, using: &random)
    }
    let isLimited = each.isEmpty || Bool.random(using: &random)
    let policy = try #require(
      RetentionPolicy(keepLast: isLimited && last > 0 ? last : nil, keepWithin: isLimited ? within : nil, keepEach: each))
    let plan = RetentionPlan(for: backups.shuffled(using: &random), by: policy, at: Self.now)
    let kept = plan.keep.map(\.backup)
    #expect((kept + plan.remove.map(\.backup)).map(\.name).sorted() == backups.map(\.name).sorted())
    #expect(plan.keep.allSatisfy { !$0.reasons.isEmpty } && plan.remove.allSatisfy { !$0.reasons.isEmpty })
    let listing = FolderListing(folder: "", backups: backups)
    for format in listing.formats {
      guard let newest = listing.newestValid(of: format, at: Self.now) else { continue }
      #expect(kept.contains { $0.name == newest.name })
    }
    #expect(RetentionPlan(for: kept, by: policy, at: Self.now).remove.isEmpty)
  }

  @Test func `a policy without a limit is nil`() {
    #expect(RetentionPolicy() == nil)
    #expect(RetentionPolicy(keepLast: 0) == nil)
    #expect(RetentionPolicy(keepLast: 1, keepEach: [.day: 0]) == nil)
    #expect(RetentionPolicy(keepLast: -1, keepWithin: BackupAge("1d")) == nil)
  }

  // MARK: Notation

  static func backup(_ text: String, number: Int? = nil) -> ListedBackup {
    let parts = text.split(separator: ":")
    let days = Int64(parts[0].dropFirst()) ?? 0
    let error = CofferError(.truncated, "")
    let validity: ListedBackup.Validity =
      switch parts[0].first {
      case "i": .invalid(errors: 1, first: nil)
      case "d": .damaged(error)
      case "u": .unreadable(error)
      case "n": .newer(version: 99)
      default: .valid
      }
    return ListedBackup(
      name: number.map { "\(text) \($0)" } ?? text, format: parts.count > 1 ? String(parts[1]) : "a",
      created: .init(Instant(seconds: now.seconds - days * 86400), by: .document), validity: validity)
  }

  static func text(of plan: RetentionPlan) -> String {
    let keep = plan.keep.map { "\($0.backup.name)[\($0.reasons.map(\.code).joined(separator: ","))]" }
    let remove = plan.remove.map { "\($0.backup.name)[\($0.reasons.map(\.code).joined(separator: ","))]" }
    return keep.joined(separator: " ") + " -" + remove.map { " " + $0 }.joined()
  }
}
