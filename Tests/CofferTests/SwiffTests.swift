import Coffer
import Testing

/// Swiff: the example document is valid, and each change to it gives its findings.
@Suite struct SwiffTests {
  typealias Mutation = FormatSheet.Mutation
  static let nobody = #""00000000-0000-4000-8000-000000000099""#
  static let mira = #""8C5D2E91-4A7F-4B36-9D08-1E6F3C7A5B20""#

  /// One change for each kind of finding.
  static let mutations = [
    Mutation("/version", "2", "version /version"),
    Mutation("/metadata/peopleCount", "3", "count-of /metadata/peopleCount"),
    Mutation("/people/0/personSource", nil, "required /people/0/personSource"),
    Mutation("/people/1/avatarType", #"{"emoji": "🦊"}"#, "type /people/1/avatarType/emoji"),
    Mutation("/people/0/email", #""mira(at)example""#, "format /people/0/email", severity: .warning),
    // One finding only: a list with a dangling member excuses people who are missing from it.
    Mutation("/groups/0/members/1", nobody, "foreign-key /groups/0/members/1"),
    Mutation("/groups/0/expenses/0/paidBy", nobody, "foreign-key /groups/0/expenses/0/paidBy"),
    Mutation("/subscriptions/0/billingCycle", #""monthly""#, "enum /subscriptions/0/billingCycle"),
    Mutation("/subscriptions/0/price", "0", "exclusive-minimum /subscriptions/0/price", severity: .warning),
    Mutation("/transactions/0/linkedSubscriptionId", nobody, "foreign-key /transactions/0/linkedSubscriptionId"),
    Mutation("/transactions/1/amount", "0", "range /transactions/1/amount", severity: .warning),
    Mutation("/transactions/1/date", #""2026-01-20 19:10""#, "format /transactions/1/date"),
  ]

  static let person = #"""
    {"id": "11111111-2222-4333-8444-555555555555", "name": "Ida", "email": "", "phone": "", "avatarType": {"photo": {"_0": "AAAA"}},
     "balance": 0, "createdDate": "2026-01-01T00:00:00Z", "lastModifiedDate": "2026-01-01T00:00:00Z",
     "notificationPreferences": {"enableReminders": true, "reminderFrequency": 7, "preferredContactMethod": "Email"}, "personSource": "app_user"}
    """#
  static let expense = #"""
    {"id": "9b1e6c3a-0d74-4f28-a5c9-3e7b8d2f4a61", "title": "x", "amount": 1, "paidBy": "8C5D2E91-4A7F-4B36-9D08-1E6F3C7A5B20",
     "splitBetween": ["8C5D2E91-4A7F-4B36-9D08-1E6F3C7A5B20"], "category": "Other", "date": "2026-01-10T16:45:00Z", "notes": "", "isSettled": false}
    """#

  /// One change for each further rule.
  static let more = [
    Mutation("/version", "0", "version /version error", "consistency /metadata/version", severity: .warning),
    Mutation("/metadata/version", "2", "consistency /metadata/version", severity: .warning),
    Mutation("/metadata/appVersion", #""1.2""#, "consistency /metadata/appVersion", severity: .warning),
    Mutation("/metadata/createdDate", #""2026-02-01T09:30:01Z""#),
    Mutation("/metadata/createdDate", #""2026-02-01T09:29:59Z""#),
    Mutation("/metadata/createdDate", #""2026-02-01T09:30:02Z""#, "consistency /metadata/createdDate", severity: .warning),
    Mutation("/metadata/createdDate", #""2026-02-01T09:29:58Z""#, "consistency /metadata/createdDate", severity: .warning),
    Mutation("/metadata/transactionsCount", "0", "count-of /metadata/transactionsCount"),
    Mutation("/metadata", nil, "required /metadata"),
    Mutation("/createdDate", #""2026-02-01T09:30:00.5Z""#, "format /createdDate", severity: .warning),
    Mutation("/people/-", person, "count-of /metadata/peopleCount"),
    Mutation("/people/0/avatarType", "{}", "shape /people/0/avatarType"),
    Mutation("/people/0/avatarType", #"{"emoji": {"_0": "x"}, "photo": {"_0": ""}}"#, "shape /people/0/avatarType"),
    Mutation("/people/0/avatarType", #"{"symbol": {"_0": "x"}}"#, "shape /people/0/avatarType/symbol"),
    Mutation("/people/0/avatarType", #"{"photo": {"_0": "%"}}"#, "format /people/0/avatarType/photo/_0"),
    Mutation("/people/0/avatarType", #"{"initials": {"_0": "M"}}"#, "required /people/0/avatarType/initials/colorIndex"),
    Mutation("/people/0/name", #"" ""#, "pattern /people/0/name"),
    Mutation("/people/0/email", #""""#),
    Mutation("/people/0/email", #""a@b.c""#, "format /people/0/email", severity: .warning),
    Mutation("/people/0/lastModifiedDate", #""2025-11-30T10:00:00Z""#, "order /people/0/lastModifiedDate", severity: .warning),
    Mutation(
      "/people/0/lastModifiedDate", #""2026-02-03T10:00:00Z""#, "format-maximum /people/0/lastModifiedDate", severity: .warning),
    Mutation(
      "/people/0/notificationPreferences/reminderFrequency", "0",
      "exclusive-minimum /people/0/notificationPreferences/reminderFrequency", severity: .warning),
    Mutation(
      "/people/0/notificationPreferences/preferredContactMethod", #""Fax""#,
      "enum /people/0/notificationPreferences/preferredContactMethod"),
    Mutation("/people/0/preferredPaymentMethod", "null", "null /people/0/preferredPaymentMethod", severity: .note),
    Mutation("/people/0/preferredPaymentMethod", #""Cash""#, "enum /people/0/preferredPaymentMethod"),
    Mutation("/people/0/personSource", #""Manual""#, "enum /people/0/personSource"),
    Mutation(
      "/people/1/id", mira, "primary-key /people/1/id", "foreign-key /groups/0/members/1",
      "foreign-key /groups/0/expenses/0/splitBetween/1"),
    Mutation(
      "/groups/0/members", "[]", "min-items /groups/0/members warning", "consistency /groups/0/expenses/0/paidBy",
      "consistency /groups/0/expenses/0/splitBetween/0", "consistency /groups/0/expenses/0/splitBetween/1", severity: .warning),
    Mutation("/groups/0/members/1", nil, "consistency /groups/0/expenses/0/splitBetween/1", severity: .warning),
    Mutation(
      "/groups/0/members/1", mira, "duplicate /groups/0/members/1", "consistency /groups/0/expenses/0/splitBetween/1",
      severity: .warning),
    Mutation("/groups/0/members/1", #""2d9a6f47-b13c-4e85-a60d-7f4c8e1b3d59""#),
    Mutation(
      "/groups/0/members/-", #""2d9a6f47-b13c-4e85-a60d-7f4c8e1b3d59""#, "duplicate /groups/0/members/2", severity: .warning),
    Mutation("/groups/0/expenses/0/splitBetween/1", nobody, "foreign-key /groups/0/expenses/0/splitBetween/1"),
    Mutation("/groups/0/expenses/0/splitBetween", "[]", "min-items /groups/0/expenses/0/splitBetween", severity: .warning),
    Mutation(
      "/groups/0/expenses/0/amount", "-64", "exclusive-minimum /groups/0/expenses/0/amount warning",
      "consistency /groups/0/totalAmount", severity: .note),
    Mutation("/groups/0/expenses/0/category", #""Fun""#, "enum /groups/0/expenses/0/category"),
    Mutation("/groups/0/totalAmount", "64.01"),
    Mutation("/groups/0/totalAmount", "64.02", "consistency /groups/0/totalAmount", severity: .note),
    Mutation("/subscriptions/0/sharedWith/0", nobody, "foreign-key /subscriptions/0/sharedWith/0"),
    Mutation("/subscriptions/0/sharedWith/0", #""F3A7C1D8-95E0-4C62-8B4F-6A2D0E9C7B14""#),
    Mutation("/subscriptions/0/nextBillingDate", #""4001-01-01T00:00:00Z""#),
    Mutation(
      "/subscriptions/0/lastUsedDate", #""2027-01-01T00:00:00Z""#, "format-maximum /subscriptions/0/lastUsedDate",
      severity: .warning),
    Mutation("/subscriptions/0/trialEndDate", #""2027-01-01T00:00:00Z""#),
    Mutation("/subscriptions/0/cancellationDifficulty", #""Impossible""#, "enum /subscriptions/0/cancellationDifficulty"),
    Mutation(
      "/subscriptions/0/retentionOffers/0/discountedPrice", "-1", "minimum /subscriptions/0/retentionOffers/0/discountedPrice",
      severity: .warning),
    Mutation(
      "/subscriptions/0/documents/-",
      #"{"id": "11111111-2222-4333-8444-555555555555", "type": "Bill", "name": "", "data": "", "dateAdded": "2026-01-01T00:00:00Z"}"#,
      "enum /subscriptions/0/documents/0/type"),
    Mutation("/transactions/0/splitBillId", nobody, "foreign-key /transactions/0/splitBillId", severity: .note),
    Mutation("/transactions/0/receiptData", ##""#""##, "format /transactions/0/receiptData"),
    Mutation("/transactions/0/paymentStatus", #""completed""#, "enum /transactions/0/paymentStatus"),
    Mutation("/transactions/0/transactionType", nil),
    Mutation("/transactions/1/id", #""0F7A3D58-2C9E-4B61-8D05-E1C6B4A97F32""#, "primary-key /transactions/1/id"),
    Mutation("/transactions/0/tags", #"["a", 1]"#, "type /transactions/0/tags/1"),
  ]

  /// Unusual values: the behaviour of the shipped app, and Coffer's findings.
  static let table: [FormatSheet.Line] = [
    .init("/transactions/0/receiptData", #""QUI=""#, app: "reads two bytes"),
    .init("/transactions/0/receiptData", #""QUI""#, app: "refuses the file", "format /transactions/0/receiptData error"),
    .init("/transactions/0/receiptData", #""QU-_""#, app: "refuses the file", "format /transactions/0/receiptData error"),
    .init("/transactions/0/receiptData", "5", app: "refuses the file", "type /transactions/0/receiptData error"),
    .init("/transactions/0/receiptData", "null", app: "reads it, and never writes it", "null /transactions/0/receiptData note"),
    .init(
      "/people/0/avatarType", #"{"photo": {"_0": "A"}}"#, app: "refuses the file", "format /people/0/avatarType/photo/_0 error"),
    .init("/people/0/balance", "1e-400", app: "refuses the file; no rule looks at numbers that are too small"),
    .init("/people/0/balance", "5e-324", app: "reads it"),
    .init("/people/0/balance", "1e400", app: "refuses the file", "exclusive-maximum /people/0/balance error"),
    .init(
      "/people/0/notificationPreferences/reminderFrequency", "9223372036854775808", app: "refuses the file",
      "maximum /people/0/notificationPreferences/reminderFrequency error"),
    .init(
      "/people/0/avatarType/initials/colorIndex", "9223372036854775808", app: "refuses the file",
      "maximum /people/0/avatarType/initials/colorIndex error"),
    .init("/people/0/contactId", "null", app: "reads it, and never writes it", "null /people/0/contactId note"),
    .init(
      "/transactions/0/transactionType", "null", app: "reads it, and never writes it", "null /transactions/0/transactionType note"
    ),
    .init(
      "/subscriptions/0/trialEndDate", "null", app: "reads it, and never writes it", "null /subscriptions/0/trialEndDate note"),
    .init(
      "/transactions/0/linkedSubscriptionId", "5", app: "refuses the file", "type /transactions/0/linkedSubscriptionId error"),
    .init(
      "/transactions/0/linkedSubscriptionId", #""no id""#, app: "refuses the file",
      "format /transactions/0/linkedSubscriptionId error"),
    .init("/subscriptions/0/sharedWith/0", "5", app: "refuses the file", "type /subscriptions/0/sharedWith/0 error"),
    // Member names are case-sensitive, ids are not.
    .init("/transactions/0/Merchant", #""Tunebox""#, app: "ignores it", "unknown-field /transactions/0/Merchant note"),
    .init("/people/0/Notes", "5", app: "ignores it", "unknown-field /people/0/Notes note"),
    .init("/people/0/avatarType", #"{"Emoji": {"_0": "x"}}"#, app: "refuses the file", "shape /people/0/avatarType/Emoji error"),
    .init("/groups/0/members/0", #""8c5d2e91-4a7f-4b36-9d08-1e6f3c7a5b20""#, app: "reads the same id"),
    .init("/groups/0/expenses/0/paidBy", #""8c5d2e91-4a7f-4b36-9d08-1e6f3c7a5b20""#, app: "reads the same id"),
    // A malformed member is one finding: it makes no reference dangling.
    .init("/groups/0/members/0", #""no id""#, app: "refuses the file", "format /groups/0/members/0 error"),
    .init("/groups/0/members/0", "5", app: "refuses the file", "type /groups/0/members/0 error"),
    .init(
      "/groups/0/expenses/0/splitBetween/0", #""no id""#, app: "refuses the file",
      "format /groups/0/expenses/0/splitBetween/0 error"),
    .init("/groups/0/expenses/0/paidBy", #""no id""#, app: "refuses the file", "format /groups/0/expenses/0/paidBy error"),
    .init("/transactions/1/date", #""2026-01-20t19:10:00Z""#, app: "refuses the file", "format /transactions/1/date error"),
    .init("/transactions/1/date", #""2026-01-20T20:10:00+0100""#, app: "reads 19:10:00Z"),
  ]

  @Test(arguments: table)
  func `Coffer reports what the app does with unusual values`(_ line: FormatSheet.Line) throws {
    try FormatSheet.expect(line, in: "swiff", of: "swiff")
  }

  @Test(arguments: mutations + more)
  func `each changed value gives exactly its findings`(_ mutation: Mutation) throws {
    try FormatSheet.expect(mutation, in: "swiff", of: "swiff")
  }

  @Test func `the example document is valid and has no findings`() throws {
    let report = try Validating.report(on: try FormatSheet.example("swiff"))
    #expect(report.format == "swiff")
    #expect(report.dialect == "since the 3.0 line (January 2026)")
    #expect(FormatSheet.lines(report) == [])
  }

  @Test func `expense ids must be unique across groups`() throws {
    let group =
      #"{"id": "11111111-2222-4333-8444-555555555556", "name": "g", "description": "", "emoji": "", "members": [\#(Self.mira)], "expenses": [\#(Self.expense)], "createdDate": "2026-01-05T12:00:00Z", "totalAmount": 1}"#
    let lines = try FormatSheet.lines("swiff", [Mutation("/groups/-", group), Mutation("/metadata/groupsCount", "2")])
    #expect(lines == ["primary-key /groups/1/expenses/0/id error"])
  }

  @Test func `a trial that ends before its start is a warning`() throws {
    let changes = [
      Mutation("/subscriptions/0/trialStartDate", #""2026-01-05T00:00:00Z""#),
      Mutation("/subscriptions/0/trialEndDate", #""2026-01-04T00:00:00Z""#),
    ]
    #expect(try FormatSheet.lines("swiff", changes) == ["order /subscriptions/0/trialEndDate warning"])
  }

  /// An omitted collection may have the referenced records.
  @Test func `references into an empty collection are warnings`() throws {
    let changes = [Mutation("/people", "[]"), Mutation("/metadata/peopleCount", "0")]
    #expect(
      try FormatSheet.lines("swiff", changes) == [
        "foreign-key /groups/0/expenses/0/paidBy warning", "foreign-key /groups/0/expenses/0/splitBetween/0 warning",
        "foreign-key /groups/0/expenses/0/splitBetween/1 warning", "foreign-key /groups/0/members/0 warning",
        "foreign-key /groups/0/members/1 warning", "foreign-key /subscriptions/0/sharedWith/0 warning",
      ])
    let transactions = [Mutation("/subscriptions", "[]"), Mutation("/metadata/subscriptionsCount", "0")]
    #expect(try FormatSheet.lines("swiff", transactions) == ["foreign-key /transactions/0/linkedSubscriptionId warning"])
  }

  /// The app requires the exact letter case and ignores other names.
  @Test func `a required member in another letter case is missing`() throws {
    let changes = [Mutation("/people/0/email", nil), Mutation("/people/0/eMail", #""mira@example.com""#)]
    #expect(
      try FormatSheet.lines("swiff", changes) == ["required /people/0/email error", "unknown-field /people/0/eMail note"])
  }

  @Test func `a document without personSource has the dialect before the 3.0 line`() throws {
    let changes = [Mutation("/people/0/personSource", nil), Mutation("/people/1/personSource", nil)]
    let report = try Validating.report(on: try FormatSheet.changed("swiff", changes))
    #expect(report.dialect?.hasPrefix("before the 3.0 line") == true)
    #expect(FormatSheet.lines(report) == ["required /people/0/personSource error", "required /people/1/personSource error"])
  }
}
