import BackupFormats
public import ByteStreams
import CompressedStreams
public import Findings
import JSONEvents
public import Rules
import Synchronization

/// The result of checking a rule document: its errors or, if it has none, its cost.
///
/// The document is validated like any other, against the meta-schema that its `$schema` names, and then compiled. Errors that
/// only compiling reveals are findings with the code `rule`.
///
/// For example:
///
///     let check = RuleCheck(try FileSource(path: "rules.json"), named: "rules.json")
///     check.report.findings.first?.message        // this member is not allowed; did you mean 'type'?
///
/// Memory: up to about forty times the document's size, which is limited to 32 MiB.
public struct RuleCheck: Sendable {
  /// The errors, in document order; or why the document can't be read.
  public private(set) var report: ValidationReport
  /// `nil` if the rules can't be used.
  public private(set) var cost: RuleCost?

  /// Reads `source` to its end.
  ///
  /// - Parameters:
  ///   - source: the document.
  ///   - name: its name in the report.
  ///   - syntax: its syntax.
  ///   - options: the options for reading it.
  public init(
    _ source: some ByteSource, named name: String, syntax: RuleSyntax = .json,
    options: RuleDocument.Options = RuleDocument.Options()
  ) {
    report = ValidationReport(file: name)
    do {
      let original = try RuleDocument.text(of: source)
      let value = try syntax.read(MemorySource(original))
      // Other syntaxes are validated as the equivalent JSON; the findings' places are those in the original text.
      let isJSON = syntax.endings == RuleSyntax.json.endings
      let bytes = isJSON ? original : Array(value.text.utf8)
      defer { moveFindings(to: value, isJSON: isJSON) }
      let uri = MetaSchema.uri(for: value)
      let metaSchema = Result { try Self.validator(by: uri, options) }
      if case .success(let validator) = metaSchema { report = try Self.validate(bytes, named: name, by: validator) }
      let document = try RuleDocument(checking: value, options: options)
      let known = report.findings.map(\.place)
      document.warnings.forEach { add($0) }
      document.errors.forEach { add($0, besides: known) }
      report.counts.add(document.errorCount - document.errors.count, severity: .error, code: "rule")
      let program = try document.compiled()
      if document.describesFormat, document.errors.isEmpty { _ = try BackupFormat(document) }
      // The usual cause is a wrong `$schema`, for which the errors above are clearer.
      _ = try metaSchema.get()
      if report.isValid { cost = RuleCost(of: program, schemas: document.schemas.count) }
    } catch {
      let error = CofferError(reporting: error)
      if error.code != .invalidRules {
        report.error = error
        return
      }
      add(error, besides: report.findings.filter { $0.severity == .error }.map(\.place))
      report.findings.sort()
    }
  }

  /// Creates the result for a rule document that can't be opened.
  public init(unreadable name: String, _ error: CofferError) {
    report = ValidationReport(file: name)
    report.error = error
  }

  /// Validators for the built-in meta-schemas, compiled once.
  private static let validators = Mutex<[String: Validator]>([:])

  private static func validator(by uri: String, _ ruleOptions: RuleDocument.Options) throws -> Validator {
    if let validator = validators.withLock({ $0[uri] }) { return validator }
    var options = ValidationOptions(now: Instant(seconds: 0))
    options.syntax = .json
    options.slices = nil
    let validator = Validator(.document(try MetaSchema.rules(named: uri, options: ruleOptions), name: uri), options: options)
    if MetaSchema.isBuiltIn(uri) {
      try validator.prepare()
      validators.withLock { $0[uri] = validator }
    }
    return validator
  }

  private static func validate(_ bytes: [UInt8], named name: String, by validator: Validator) throws -> ValidationReport {
    let validator = validator
    var report = try validator.validate(MemorySource(bytes), named: name)
    // The lists in a rule document are not records.
    report.records = 0
    return report
  }

  /// Moves the meta-schema's findings to the values' places in the original text. Findings about disallowed members get the
  /// places of the keys, like compile errors.
  private mutating func moveFindings(to root: JSONValue.Located, isJSON: Bool) {
    for index in report.findings.indices where report.findings[index].code != "rule" {
      let finding = report.findings[index]
      let isOfKey = ["additionalProperties", "unevaluatedProperties"].contains(finding.keyword) || finding.code == "older-draft"
      if isJSON, !isOfKey { continue }
      let place = finding.place
      var value = root
      var position = root.position
      for token in place.pointer.pointerTokens ?? [] {
        // A missing member gets its object's place.
        if let member = value.object?.last(where: { $0.key == token }) {
          value = member.value
          position = isOfKey ? member.keyPosition : value.position
        } else if let item = Int(token).flatMap({ value.item(at: $0) }) {
          value = item
          position = value.position
        } else {
          break
        }
      }
      report.findings[index].place = Place(
        pointer: place.pointer, line: position.line, column: position.column, offset: position.offset)
    }
    report.findings.sort()
  }

  /// Adds a finding about the rule document. A finding about another document that it refers to gets the place of the start, and
  /// its own place in the message, because a report is about one file.
  private mutating func add(_ finding: Finding) {
    var finding = finding
    if finding.schemaLocation != finding.place.pointer {
      let location = finding.schemaLocation.split(separator: "#", maxSplits: 1).first ?? ""
      finding.message = "\(location):\(finding.place.line):\(finding.place.column): \(finding.message)"
      finding.place = Place(pointer: "", line: 1, column: 1, offset: 0)
    }
    report.counts.add(severity: finding.severity, code: finding.code)
    report.findings.append(finding)
  }

  /// Adds an error of reading or compiling the rules as a finding, unless one of the `known` findings is at its place.
  private mutating func add(_ error: CofferError, besides known: [Place]) {
    let pointer = error.place.pointer ?? ""
    let position = error.place.position ?? TextPosition(offset: 0, line: 1, column: 1)
    var place = Place(pointer: pointer, line: position.line, column: position.column, offset: position.offset)
    var message = error.message
    if let document = error.place.document {
      place = Place(pointer: "", line: 1, column: 1, offset: 0)
      message = "\(document):\(position.line):\(position.column): \(message)"
    } else if known.contains(where: { $0.isAt(place) }) {
      return
    }
    let code = (error.underlying as? CofferError)?.code.rawValue ?? "rule"
    report.counts.add(severity: .error, code: code)
    report.findings.append(
      Finding(
        code: code, keyword: pointer.pointerTokens?.last ?? "", severity: .error, message: message, place: place,
        schemaLocation: ""))
  }
}

extension JSONValue.Located {
  fileprivate func item(at index: Int) -> JSONValue.Located? {
    guard let items = array, items.indices.contains(index) else { return nil }
    return items[index]
  }
}

extension Place {
  /// Returns true if the place is `other`, or inside the value there.
  fileprivate func isAt(_ other: Place) -> Bool {
    pointer == other.pointer || offset == other.offset || !other.pointer.isEmpty && pointer.hasPrefix(other.pointer + "/")
  }
}
