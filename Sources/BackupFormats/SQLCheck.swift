package import ByteStreams
public import Findings
import JSONEvents
import Rules

/// A check in SQL that a descriptor declares: what the rules can't say, as a question to the tables of an import, which must have no
/// answer.
///
///     "checks": [{"name": "overspent", "collection": "/accounts", "message": "more was spent than the account has",
///                 "select": "SELECT rowid, balance FROM accounts WHERE balance < 0"}]
public struct SQLCheck: Sendable {
  /// The code of its findings.
  public let name: String
  public let severity: Severity
  public let message: String
  /// The JSON Pointer of the collection whose records the rows name by the column `rowid`. `nil`: rows are about the document.
  public let collection: String?
  /// The statement. Each of its rows is a finding.
  public let select: String
  /// The place of the check in the rule document.
  public let location: String
  package let position: TextPosition

  init(_ value: RuleValue) throws(CofferError) {
    try value.checkMembers(known: ["name", "severity", "message", "collection", "select"], in: "a check")
    guard let name = value["name"], let select = value["select"] else { throw value.error("a check needs 'name' and 'select'") }
    self.name = try name.expectText()
    if let character = self.name.unicodeScalars.first(where: { !("a"..."z" ~= $0 || "0"..."9" ~= $0 || $0 == "-") }) {
      throw name.error("a check's name has only small letters, digits and hyphens, not '\(character)'")
    }
    severity =
      try value["severity"].map { value throws(CofferError) in try value.expectChoice(Severity.mostSevereFirst) } ?? .error
    message = try value["message"]?.expectText() ?? "the check '\(self.name)' fails"
    collection = try value["collection"]?.expectString()
    self.select = try select.expectText()
    location = value.pointer
    position = select.json.position
  }

  /// Reads a descriptor's checks.
  static func list(_ value: RuleValue, among collections: [BackupFormat.Collection]) throws(CofferError) -> [SQLCheck] {
    var checks: [SQLCheck] = []
    for item in try value.expectItems(of: "checks") {
      let check = try SQLCheck(item)
      if checks.contains(where: { $0.name == check.name }) {
        throw item.error("two checks have the name '\(check.name)'", at: "name")
      }
      if let pointer = check.collection,
        !collections.contains(where: { ExactText($0.pointer) == ExactText(pointer) && $0.rules.holdsRecords })
      {
        throw item.error("the rules describe no collection '\(pointer)' of objects", at: "collection")
      }
      checks.append(check)
    }
    return checks
  }
}

extension Finding {
  /// A warning that checks in SQL were not run; `nil` if there are none.
  package init?(notRun checks: [SQLCheck], because reason: String? = nil) {
    if checks.isEmpty { return nil }
    let names = checks.map(\.name).joined(separator: ", ")
    self.init(
      code: "not-run", keyword: "checks", severity: .warning,
      message: "checks in SQL were not run: \(names)\(reason.map { " (\($0))" } ?? "")",
      place: Place(at: TextPosition(offset: 0, line: 1, column: 1)), schemaLocation: "/backup/checks")
  }
}
