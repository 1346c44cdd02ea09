import BackupFormats
import ByteStreams
import Digests
import Findings
import JSONEvents
import Rules
import ZIPArchives

extension Validator {
  /// Adds the ends of values, and the records that hold them, to the findings about a document. Reads it again, as far as the last
  /// of these findings.
  ///
  /// If the document can't be read that far, the rest of the findings stay as they are.
  ///
  /// - Parameter nearby: finds them without reading the whole document, or returns `nil`.
  func addPlaces(
    to report: inout ValidationReport, of document: ValidatedDocument, in stored: StoredBytes,
    nearby: (LookupConsumer, PassOptions) throws -> [ValueLookup.Match]? = { _, _ in nil }
  ) throws {
    let offsets = Set(report.findings.lazy.filter { $0.place.entry == nil }.map(\.place.offset)).sorted()
    guard !offsets.isEmpty else { return }
    let pass = secondPass(over: document)
    try readingAgain(stored, for: &report) { report in
      let errorOffset = report.error?.place.position?.offset ?? .max
      let matches = try options.execution.progress.saying("locating findings") {
        let consumer = LookupConsumer(
          offsets, before: errorOffset, in: document.keyedCollections, syntax: pass.syntax, limits: pass.limits)
        return try nearby(consumer, pass) ?? self.matches(by: consumer, stored, pass)
      }
      let found = Dictionary(uniqueKeysWithValues: zip(offsets, matches))
      for index in report.findings.indices where report.findings[index].place.entry == nil {
        guard let match = found[report.findings[index].place.offset] else { continue }
        report.findings[index].place.end = match.end
        report.findings[index].record = match.record
        // Other reports have the excerpts of the first pass, which knows no long keys.
        if options.explainsKeys, !options.redacts {
          report.findings[index].excerpt = report.findings[index].excerpt ?? match.text
        }
      }
    }
  }

  /// Adds to the messages of findings about keys what a second evaluation of the document finds out. Without findings about keys it does
  /// nothing. A document of more than 1 GiB is not evaluated again, because that takes long.
  func explainKeys(of report: inout ValidationReport, _ document: ValidatedDocument, in stored: StoredBytes) throws {
    guard let search = document.keySearch, report.bytes <= ValidationOptions.largestExplained else { return }
    var pass = secondPass(over: document)
    try readingAgain(stored, for: &report) { report in
      let found = try options.execution.progress.saying("looking up keys") {
        let consumer = DocumentEvaluator(for: search)
        pass.keys = consumer.options.keyComparison
        var pass = DocumentPass(try self.document(in: stored), for: consumer, options: pass)
        try pass.runAgain()
        return pass.consumer.keySearch
      }
      found?.explain(&report.findings)
    }
  }

  private func secondPass(over document: ValidatedDocument) -> PassOptions {
    var pass = options.pass
    pass.execution.progress = nil
    pass.syntax = document.syntax
    return pass
  }

  /// Calls `body`, which reads a validated document again. An error ends up in the report, unless the validation has reported one.
  private func readingAgain(
    _ stored: StoredBytes, for report: inout ValidationReport, _ body: (inout ValidationReport) throws -> Void
  ) throws {
    do {
      try body(&report)
      try stored.checkUnchanged()
    } catch let error as CofferError {
      try options.execution.cancellation.check()
      report.error = report.error ?? error
    }
  }

  private func matches(
    by consumer: LookupConsumer, _ stored: StoredBytes, _ options: PassOptions
  ) throws -> [ValueLookup.Match] {
    var pass = DocumentPass(try document(in: stored), for: consumer, options: options)
    try pass.runAgain()
    return pass.consumer.matches
  }

  /// Opens the document again.
  private func document(in stored: StoredBytes) throws -> any ByteSource {
    let backup = try OpenedBackup(StoredSource(stored), named: stored.name, options.execution.unmetered)
    return backup.isArchive
      ? try BackupArchive(stored, rules, limits: ZIPLimits(options.execution.expansion)).openDocument()
      : try backup.document().source
  }
}

extension DocumentPass where Consumer: ~Copyable {
  /// Reads a validated document as far as the consumer needs it, or to its first error, which the validation has reported.
  fileprivate mutating func runAgain() throws {
    do {
      try run()
    } catch let error as CofferError where error.place.position != nil {
    }
  }
}

extension ValidationReport {
  /// The report without the keys of records, which are values of the document.
  var withoutKeys: ValidationReport {
    var report = self
    for index in report.findings.indices { report.findings[index].record?.key = nil }
    for index in report.resolved?.entries.indices ?? 0..<0 { report.resolved?.entries[index].identity.key = nil }
    return report
  }
}

extension ValidationReport {
  /// The report without the ends of values, and without the records that hold them.
  var withoutPlaces: ValidationReport {
    var report = self
    for index in report.findings.indices {
      report.findings[index].place.end = nil
      report.findings[index].record = nil
    }
    return report
  }
}

extension ValidatedDocument {
  /// The collections whose records have a primary key.
  fileprivate var keyedCollections: [KeyedCollection] {
    guard let rules else { return [] }
    return (rules.collections + rules.innerCollections).compactMap { collection in
      guard let key = collection.keys.first(where: \.isPrimary) else { return nil }
      return KeyedCollection(
        pointer: collection.pointer, title: format?.collections.first { $0.pointer == collection.pointer }?.title,
        keyFields: key.fields.map { Array($0) })
    }
  }
}

/// The text of a record's key. Different keys have different texts.
enum KeyText {
  /// Keys of more bytes are shown by their start and their digest.
  private static let limit = 200

  /// Returns a string as the value of a key's field: in quotes if it looks like another value.
  static func string(_ text: String) -> String {
    let looksLikeAnother =
      ExactDecimal(text) != nil || ["true", "false"].contains(text) || text.hasPrefix("\"") || text.hasPrefix("[")
    return looksLikeAnother ? text.quoted : text
  }

  /// Returns the only field, or several as an array.
  static func text(of fields: [String]) -> String {
    let text = fields.count == 1 ? fields[0] : "[\(fields.map(\.quoted).joined(separator: ","))]"
    guard text.utf8.count > limit else { return text }
    let digest = MessageDigest.text(of: Array(text.utf8), by: .sha256)
    return "\(text.unicodeScalars.prefix(limit / 4).map(String.init).joined())…sha256:\(digest.prefix(32))"
  }
}
