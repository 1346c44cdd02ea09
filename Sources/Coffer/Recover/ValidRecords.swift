import BackupFormats
import ByteStreams
import CompressedStreams
import Findings
import JSONEvents
import Rules

/// Which records with errors to leave out.
///
/// Records are the items of the collections that a document has at its root, or in an object there. An error in a record inside of another
/// one concerns the outer one.
public struct InvalidRecords: Sendable {
  /// Which of several records with one key stays.
  public enum Duplicates: String, Sendable, CaseIterable {
    case first, last
    /// The one that was changed last, by the field that the format names for this; of several, the first.
    case newest
  }

  /// What happens to a record that refers to a record that doesn't exist.
  public enum Dangling: String, Sendable, CaseIterable {
    case drop
    /// The reference becomes null. If the rules don't allow that, the record is left out.
    case null
  }

  public var duplicates = Duplicates.first
  public var dangling = Dangling.drop

  public init() {}
}

/// Recovers the records that have no errors.
///
///     damaged ─▶ whole records ─┬─▶ without removals ─▶ validator ─▶ errors ─┐
///                               │         ▲                                  │ until there are no more
///                               │         └────────── removals ◀─────────────┘
///                               └─▶ without removals ─▶ sink, validator
///
/// First the records with errors of their own are left out, then those whose references dangle, and then those whose key another one has, by
/// one key after the other: a duplicate of a record that doesn't stay is none.
///
/// Cost: a validation each time, at least two. Damaged documents are recovered to a temporary file first.
struct ValidRecords {
  private let recovery: Recovery
  private let backup: OpenedBackup
  private let policy: InvalidRecords
  private let removals: Removals

  /// The errors that are located at a time: about 16 MiB. Further ones are found the next time.
  private static let errorLimit = 1 << 20
  /// How often the document is read before what is left must be recovered again: enough for references through 200 records.
  static let roundLimit = 200

  init(_ recovery: Recovery, _ backup: OpenedBackup, _ policy: InvalidRecords) throws(CofferError) {
    self.recovery = recovery
    self.backup = backup
    self.policy = policy
    removals = Removals(nullsReferences: policy.dangling == .null, recovery.options.validation.execution)
  }

  private var execution: Execution { recovery.options.validation.execution }

  /// Writes the valid records to `sink`, and the report to `log`.
  func recover(to sink: inout some ByteSink, _ log: RecoveryLog) throws {
    let (whole, first) = try wholeRecords(log)
    try findErrors(in: whole, first, log)
    let document = try whole.document()
    let validator = recovery.validator(of: document)
    let name = backup.name
    let bytes = log.report.bytes
    say("writing")
    try removals.restart()
    log.report.validation = try recovery.written(to: &sink, recovery.options.compression) { output in
      _ = try document.copy(to: &output, log, origins: whole.origins, without: removals)
      log.report.bytesWritten = output.count
    } reading: { [container = backup.container] in
      try validator.validate(OpenedDocument($0, named: name, in: container)).report
    }
    log.report.bytes = bytes
    try backup.checkUnchanged()
  }

  // MARK: Damage

  /// The whole records: the document itself, or what was recovered from it.
  private struct WholeRecords {
    let document: () throws -> DamagedDocument
    var origins: MoveLog?
  }

  /// Returns the whole records, and the errors in them, if they are known already.
  private func wholeRecords(_ log: RecoveryLog) throws -> (WholeRecords, (Errors, MoveLog)?) {
    say("looking for damage, and for invalid records")
    let unwritten = unwrittenLog
    let document = try DamagedDocument(backup.document(), recovery)
    guard document.identified.identity.rules != nil else {
      throw CofferError(.unknownFormat, "which records are invalid is not known without rules: \(document.problem)")
    }
    let first = try errors(of: document, unwritten)
    if unwritten.report.isUndamaged {
      log.report.bytes = unwritten.report.bytes
      return (WholeRecords { try DamagedDocument(backup.document(), recovery) }, first)
    }
    say("recovering")
    var copy = StoringSink(in: execution.temporaryFolder)
    let origins = try DamagedDocument(backup.document(), recovery).copy(to: &copy, log)
    let stored = StoredBytes(copy, named: backup.name, cancellation: execution.cancellation, progress: execution.progress)
    // What is left of the document may not show its format and its syntax.
    var options = recovery.options
    options.validation.syntax = document.syntax
    let known = Recovery(document.identified.identity.ruleSource ?? recovery.rules, options: options)
    let open = { try DamagedDocument(OpenedDocument(StoredSource(stored), named: backup.name, in: backup.container), known) }
    return (WholeRecords(document: open, origins: origins), nil)
  }

  private var unwrittenLog: RecoveryLog { RecoveryLog(backup.name) { _, _ in } }

  private func say(_ message: String) { execution.progress?.begin(message, byteCount: backup.byteCount) }

  // MARK: Errors

  private struct Errors: Sendable {
    var located: [LocatedErrors]
    let report: ValidationReport
    let rightTotals: [Int: String]

    func has(_ kind: LocatedErrors.Kind) -> Bool { located.contains { $0.kind == kind } }
  }

  /// Adds the places of errors to the removals, until leaving them out leaves no more.
  ///
  /// - Parameter first: the errors, if they are known already.
  private func findErrors(in whole: WholeRecords, _ first: (Errors, MoveLog)?, _ log: RecoveryLog) throws {
    let identity = try whole.document().identified.identity
    var kind = LocatedErrors.Kind.value
    for round in 0..<Self.roundLimit {
      var (errors, moves): (Errors, MoveLog)
      if round == 0, let first {
        (errors, moves) = first
      } else {
        try removals.restart()
        say("looking for invalid records, \(round + 1)")
        (errors, moves) = try self.errors(of: whole.document(), unwrittenLog)
      }
      guard let next = next(after: round == 0 ? nil : kind, errors) else {
        return try removals.correct(errors.rightTotals, errors.report.findings, moves: &moves)
      }
      kind = next
      errors.located.removeAll { $0.kind != kind }
      if kind == .duplicate { errors.located = Array(errors.located.sorted { $0.rule < $1.rule }.prefix(1)) }
      if kind == .duplicate, policy.duplicates != .first {
        let choice = try DuplicateChoice(
          errors.located, identity, try whole.document().syntax, keeping: policy.duplicates, recovery.options.pass)
        try removals.restart()
        errors.located = try read(whole.document(), unwrittenLog) { try choice.losers(in: $0) }.0
      }
      try removals.add(errors.located, errors.report.findings, moves: &moves)
    }
    log.report.isUnfinished = true
  }

  /// Returns which errors to leave out next, or `nil` if none can be.
  ///
  /// - Parameter last: those that were left out last.
  private func next(after last: LocatedErrors.Kind?, _ errors: Errors) -> LocatedErrors.Kind? {
    var kind = last ?? .value
    // The last step left nothing out: its errors are outside of records.
    if last != nil, removals.newCount == 0 {
      guard let next = kind.next else { return nil }
      kind = next
    } else if kind == .dangling, policy.dangling == .null {
      // The rules may not allow null.
      kind = .value
    } else if kind == .duplicate {
      kind = .dangling
    }
    while !errors.has(kind) {
      guard let next = kind.next else { return nil }
      kind = next
    }
    return kind
  }

  /// Reads a document without the removals, and locates its errors.
  private func errors(of document: DamagedDocument, _ log: RecoveryLog) throws -> (Errors, MoveLog) {
    let validator = recovery.validator(of: document, errorLimit: Self.errorLimit)
    return try read(document, log) { [name = backup.name, container = backup.container] source in
      let result = try validator.validate(OpenedDocument(source, named: name, in: container))
      return Errors(located: result.errors, report: result.report, rightTotals: result.rightTotals)
    }
  }

  /// Reads a document without the removals.
  private func read<R: Sendable>(
    _ document: DamagedDocument, _ log: RecoveryLog, by body: @escaping @Sendable (ChannelSource) throws -> R
  ) throws -> (R, MoveLog) {
    var sink = CountingSink()
    var moves = MoveLog(execution)
    let result = try recovery.written(to: &sink) { output in
      moves = try document.copy(to: &output, log, without: removals)
    } reading: {
      try body($0)
    }
    return (result, moves)
  }
}

extension LocatedErrors.Kind {
  /// What is left out after this.
  fileprivate var next: LocatedErrors.Kind? {
    switch self {
    case .value: .dangling
    case .dangling: .duplicate
    // It isn't known which record is out of order.
    case .duplicate, .order: nil
    }
  }
}

extension IdentifiedDocument.Identity {
  /// The rules for a document that is known to be of this kind.
  var ruleSource: RuleSource? {
    switch self {
    case .format(let format, _): .format(format)
    case .rules(let rules, let name): .document(rules, name: name)
    case .undetected: nil
    }
  }
}

extension DamagedDocument {
  /// Why the document's rules aren't known.
  fileprivate var problem: String {
    if case .undetected(let detection) = identified.identity { detection.problem.message } else { "" }
  }
}
