public import ByteStreams
public import Findings
import Rules

extension Validator {
  /// Validates a document like ``validate(_:named:)``, and hands over its records with errors, which takes another pass.
  ///
  /// Memory: about 50 bytes more for each error. An archive is not read: its report has the error `zipArchive`.
  ///
  /// - Parameter reject: gets each record with its bytes: an item of a collection at the root or in an object there, with all that is in
  ///   it. It also gets what is damaged.
  /// - Throws: also the errors of `reject`.
  public func validate(
    _ source: some ByteSource, named name: String, rejecting reject: @escaping (LeftOut, UnsafeRawBufferPointer) throws -> Void
  ) throws -> ValidationReport {
    var options = options
    options.errorLimit = .max
    return report(
      try Validator(self, options).validateKeepingKeys(source, named: name) { document, report, backup in
        if document.errors.isEmpty, report.error == nil { return }
        var recovery = RecoveryOptions(now: options.now)
        recovery.validation = options
        recovery.validation.execution = options.execution.unmetered
        let removals = Removals(nullsReferences: false, recovery.validation.execution)
        var moves = MoveLog(recovery.validation.execution)
        try moves.finish()
        try removals.add(document.errors, report.findings, moves: &moves)
        try removals.restart()
        var sink = CountingSink()
        _ = try DamagedDocument(backup.document(), Recovery(self.rules, options: recovery))
          .copy(to: &sink, RecoveryLog(backup.name, reject), without: removals)
        try backup.checkUnchanged()
      })
  }
}
