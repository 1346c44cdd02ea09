import ByteStreams
import Findings
import JSONEvents
import Rules

extension BackupFormat {
  /// Returns the contents and checks of the format, as text for people.
  ///
  /// - Parameters:
  ///   - columns: the columns of the terminal, in which the text must fit.
  ///   - hint: what a reader can do if documents of the format are not detected.
  public func overview(columns: Int? = nil, hint: String? = nil) -> String {
    lines(columns, hint).map { $0.printable + "\n" }.joined()
  }

  /// Unescaped lines. Rule documents are untrusted, so these must not be printed to a terminal directly.
  private func lines(_ columns: Int?, _ hint: String?) -> [String] {
    var lines = [name, "  \(title)"]
    if let summary { lines += summary.wrapped(after: "  ", columns: columns) }
    let facts = facts + [("recognised", detection?.alternatives ?? ["never" + (hint.map { ": \($0)" } ?? "")])]
    let width = facts.map(\.name.count).max() ?? 0
    for fact in facts {
      for (index, words) in fact.words.enumerated() {
        lines += words.wrapped(after: "  " + Self.padded(index == 0 ? fact.name : "", width + 2), columns: columns)
      }
    }
    let rootFields = rules.rootFields
    if !rootFields.isEmpty || !rules.rootChecks.isEmpty {
      lines += ["", "  the root"] + Self.table(rootFields, columns) + Self.list(rules.rootChecks.map(\.text), columns)
    }
    for collection in collections { lines += [""] + Self.lines(of: collection, rules, columns) }
    return lines
  }

  /// The properties that the descriptor declares besides its rules.
  private var facts: [(name: String, words: [String])] {
    var facts: [(name: String, words: [String])] = []
    if let version {
      let known =
        version.oldest == version.current ? "known: \(version.current)" : "known: \(version.oldest) to \(version.current)"
      facts.append(("version", ["\(version.pointer), \(known)"] + version.absences))
    }
    let made = [("when", origin.createdAt), ("app", origin.app), ("device", origin.device)]
    let places = made.compactMap { name, pointer in pointer.map { "\(name): \($0)" } }
    if !places.isEmpty { facts.append(("made", [places.joined(separator: ", ")])) }
    if !dialects.isEmpty { facts.append(("dialects", dialects.map { "\($0.name): \($0.criterion.name)" })) }
    if let fileName {
      let template = fileName.template.map { ["template: \($0)"] } ?? []
      facts.append(("named", [fileName.pattern + (fileName.holds.map { ", with \($0)" } ?? "")] + template))
    }
    if !retention.isEmpty { facts.append(("kept", retention.map(\.words))) }
    return facts
  }

  private static func lines(of collection: Collection, _ rules: RuleDocument, _ columns: Int?) -> [String] {
    let place = collection.pointer.isEmpty ? "the root" : collection.pointer
    var lines = ["  \(place): \(collection.title)"]
    if !collection.key.isEmpty { lines.append("    key: \(self.text(of: collection.key))") }
    if let date = collection.date {
      lines.append("    date: \(date)" + (collection.modified.map { ", modified: \($0)" } ?? ""))
    }
    let record = rules.recordFields(of: collection.rules)
    lines += table(record.fields, columns)
    return lines + list(record.checks.map(\.text) + collection.keyWords + collection.referenceWords, columns)
  }

  private static func text(of fields: [Schema.FieldPath]) -> String { fields.map(\.fieldText).joined(separator: ", ") }

  /// Returns one line per field, with its checks. On a narrow terminal, the checks are below.
  private static func table(_ fields: [RuleDocument.Field], _ columns: Int?) -> [String] {
    let width = fields.map(\.path.count).max() ?? 0
    let types = fields.map(\.typeWords.count).max() ?? 0
    return fields.flatMap { field in
      let checks = field.checks.map(\.text)
      guard let columns else {
        return wrapped(
          "    " + padded(field.path, width + 2) + padded(field.typeWords, types + 2) + padded(field.presence, 10), checks)
      }
      // A few long paths or types don't move the columns of the others.
      let line = padded(field.path + " ", min(width, 34)) + " " + padded(field.typeWords + " ", min(types, 24)) + " "
      return (line + field.presence).wrapped(after: "    ", columns: columns)
        + checks.flatMap { $0.wrapped(after: "        ", columns: columns) }
    }
  }

  /// Appends phrases to a line, and continues below them if the line is full.
  private static func wrapped(_ line: String, _ words: [String]) -> [String] {
    var lines = [line]
    for (index, word) in words.enumerated() {
      let piece = word + (index + 1 < words.count ? "; " : "")
      if lines[lines.count - 1].count + piece.count > 140, lines[lines.count - 1].count > line.count {
        lines.append(padded("", line.count))
      }
      lines[lines.count - 1] += piece
    }
    return lines.map { String($0.reversed().drop { $0 == " " }.reversed()) }
  }

  private static func list(_ lines: [String], _ columns: Int?) -> [String] {
    lines.flatMap { $0.wrapped(after: "    - ", columns: columns) }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

extension BackupFormat.VersionPolicy {
  /// The versions of documents that don't declare one.
  fileprivate var absences: [String] {
    if Set(ifAbsent.values).count == 1, ifAbsent.count == BackupFormat.Container.allCases.count, let version = ifAbsent[.json] {
      return ["if missing: \(version)"]
    }
    return BackupFormat.Container.allCases.compactMap { container in
      ifAbsent[container].map { "if missing in \(container == .zip ? "a ZIP entry" : "a separate file"): \($0)" }
    }
  }
}

extension DetectionCriterion {
  /// The alternative detection criteria, one per line.
  fileprivate var alternatives: [String] {
    switch self {
    case .any(let parts): parts.enumerated().map { ($0.offset == 0 ? "by " : "or ") + $0.element.name }
    case .all(let parts) where parts.count > 1:
      if case .any = parts[0] { parts[0].alternatives + parts.dropFirst().map { "and " + $0.name } } else { ["by " + name] }
    default: ["by " + name]
    }
  }
}

extension BackupFormat.Collection {
  var keyWords: [String] {
    rules.keys.map { key in
      let fields = key.fields.map(\.fieldText).joined(separator: ", ")
      return "\(key.severity.prefix)unique: \(fields)\(key.ignoresCase ? ", ignoring case" : "")"
    }
  }

  var referenceWords: [String] {
    rules.references.map { reference in
      let key = reference.key
      let targets = key.targets.map { target in
        (target.fields.isEmpty ? "an item" : target.fields.map(\.fieldText).joined(separator: ", ")) + " of "
          + (target.resource.text.isEmpty ? "the root" : target.resource.text)
          + (target.whereSchema == nil ? "" : ", with a condition")
      }
      let fields = key.fields.map(\.fieldText).joined(separator: ", ")
      return "\(reference.severity.prefix)reference: \(fields) → \(targets.joined(separator: ", or "))"
        + (key.whenSchema == nil ? "" : ", for some records") + (reference.message.map { "; \"\($0)\"" } ?? "")
    }
  }
}

extension RuleDocument.Field {
  var typeWords: String { types.map(\.description) ?? "" }

  var presence: String {
    switch missing {
    case nil where path.hasSuffix("*"): ""
    case .error?: "required"
    case .some: "expected"
    case nil: "optional"
    }
  }
}

extension RuleDocument.Check {
  var text: String { severity.prefix + words }
}

extension Severity {
  /// Omitted for errors, the default.
  fileprivate var prefix: String { self == .error ? "" : "\(rawValue): " }
}
