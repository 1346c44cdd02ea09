/// Compares two backups of one format, record by record.
///
/// For example:
///
///     let comparer = Comparer(.detected(.builtIn))
///     let difference = try comparer.difference(from: Backup(path: "monday.json"), to: Backup(path: "friday.json"))
///     difference.collections.first?.changed        // 12
///
/// Records are matched by the key that the format names. In a collection without a key, and if a key is missing, they are
/// compared as whole values, which may repeat: only their number matters.
///
/// Cost: one pass over each document on all threads, and a sort of 80 bytes a record, in memory as far as the options' limit
/// allows, else on disk. So memory doesn't depend on the documents' sizes. Changes that are shown in detail are read again.
public struct Comparer: Sendable {
  private let rules: RuleSource
  private let options: ComparisonOptions

  /// Creates a comparer for any number of pairs. It reads and compiles nothing yet.
  ///
  /// - Parameters:
  ///   - rules: which arrays hold records, and their keys. `detected` uses the backups' common format; in documents of unknown
  ///     format, arrays are compared as a whole, unless the options name a key.
  ///   - options: how to compare the backups, and how many changes to keep in detail.
  public init(_ rules: RuleSource, options: ComparisonOptions = ComparisonOptions()) {
    self.rules = rules
    self.options = options
  }

  /// Reads both backups completely, and returns the differences.
  ///
  /// - Throws: `CofferError` if a backup can't be read completely, or the two have nothing in common, or if
  ///   the rules don't have a requested collection; `CancellationError`; `CofferError` of temporary files.
  public func difference(from old: Backup, to new: Backup) throws -> BackupDifference {
    try difference(from: ComparedInput(old, options: options), to: ComparedInput(new, options: options))
  }

  func difference(from old: ComparedInput, to new: ComparedInput) throws -> BackupDifference {
    options.execution.progress?.expect(old.byteCount(ofPasses: 1) &+ new.byteCount(ofPasses: 1))
    let format = try ComparisonFormat(of: (old, new), rules: rules, options)
    var reading = try PairReading((old, new), by: format, memory: options.execution.memoryLimit, options)
    var survey = DifferenceSurvey(reading.skeleton, limit: options.maximumChanges)
    try options.execution.progress.saying("comparing records") { try reading.join { survey.take($0) } }
    let details = ChangeDetails(reading, options)
    var (collections, envelope) = try survey.finished(details)
    if !reading.isArray { collections.removeAll { $0.pointer.isEmpty } }
    func document(_ input: ComparedInput, _ facts: DocumentFacts) -> BackupDifference.Document {
      BackupDifference.Document(name: input.name, bytes: facts.bytes, version: format.version(of: facts))
    }
    return BackupDifference(
      old: document(old, reading.facts.old), new: document(new, reading.facts.new), format: format.name, collections: collections,
      envelope: envelope)
  }
}
