import BackupFormats
import ByteStreams
import Findings
import JSONEvents
import Rules

/// Validates a side document, and compares it with the archive's document.
struct SideDocumentCheck {
  let side: SideDocument
  let bytes: [UInt8]
  let entry: String
  let options: ValidationOptions
  private(set) var collector = FindingCollector(limit: .max)
  /// The reason why the document can't be read.
  private(set) var error: CofferError?

  /// - Parameters:
  ///   - values: the values of the archive's document, in the order of the agreements.
  ///   - isComplete: true if that document was read to its end.
  mutating func run(_ values: [WatchedValue], isComplete: Bool) throws {
    let validator = Validator(.document(side.rules, name: side.name), options: options)
    let report = try validator.validate(MemorySource(bytes), named: side.name)
    for finding in report.findings {
      var finding = finding
      finding.place.entry = entry
      collector.add(finding)
    }
    if var error = report.error {
      error.place.entry = entry
      self.error = error
      return
    }
    guard isComplete, values.count == side.agreements.count, let root = try? RuleSyntax.json.read(MemorySource(bytes)) else {
      return
    }
    for (agreement, value) in zip(side.agreements, values) { compare(agreement, value, in: root) }
  }

  private mutating func compare(_ agreement: SideDocument.Agreement, _ other: WatchedValue, in root: JSONValue.Located) {
    var value = root
    for token in agreement.pointer.pointerTokens ?? [] {
      // The rules report missing values.
      guard let next = value[token] else { return }
      value = next
    }
    if other.agrees(with: value.value) { return }
    let kind = if case .count = agreement.place { "the number of items" } else { "the value" }
    let found = value.string.map { "'\($0.prefix(80))'" } ?? String(value.text.prefix(80))
    let source = "\(kind) of \(agreement.text) in the backup's document"
    collector.add(
      Finding(
        code: agreement.grading.code ?? "consistency", keyword: "agrees", severity: agreement.grading.severity,
        message: agreement.grading.message
          ?? (options.redacts
            ? "expected \(source)" : "expected \(source), which is \(other.text), found \(found)"),
        place: place(of: value, agreement), schemaLocation: agreement.location,
        excerpt: options.redacts ? nil : String(value.text.prefix(80))))
  }

  private func place(of value: JSONValue.Located, _ agreement: SideDocument.Agreement) -> Place {
    var place = Place(pointer: agreement.pointer, at: value.position)
    place.entry = entry
    return place
  }
}

extension WatchedValue {
  /// Returns true if a side document has the same value.
  ///
  /// The rules reject values of the wrong type. A missing place agrees only with null.
  func agrees(with value: JSONValue) -> Bool {
    switch (value, self) {
    case (.string(let text), .string(let other)): text == other
    case (.number(let text), .number(let other)): ExactDecimal(text) == ExactDecimal(other)
    case (.boolean(let boolean), .boolean(let other)): boolean == other
    case (.null, .null), (.null, .absent): true
    default: false
    }
  }

  fileprivate var text: String {
    switch self {
    case .absent: "nothing"
    case .null: "null"
    case .boolean(let value): String(value)
    case .number(let text): String(text.prefix(80))
    case .string(let text): "'\(text.prefix(80))'"
    case .container: "an array or object"
    }
  }
}
