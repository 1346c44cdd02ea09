public import ByteStreams
public import CompressedStreams
public import Findings
import JSONEvents
import Pipelines
public import Rules
import ZIPArchives

/// Recovers what is whole in a damaged backup: its records, and the members of its envelope.
///
/// For example:
///
///     var file = try AtomicFile("recovered.json")
///     let report = try Recovery(.detected(.builtIn), options: RecoveryOptions(now: now))
///       .recover(FileSource(path: "damaged.json"), named: "damaged.json", to: &file)
///     print(report.lossCount, report.validation.isValid)
///     try file.commit()
///
/// The result has the whole records in their order, byte for byte, in an envelope that is completed. It is validated in the same run:
///
///     source ─▶ DocumentRecovery ─┬─▶ sink
///                    └─▶ leaving   └─▶ Validator, on a thread of its own ─▶ report
///
/// What is left out, and what is uncertain, is in the report. A record is never repaired: one with damage is left out as a whole. Where
/// records begin and end behind the damage is decided by the names that whole records have.
///
/// Cost: about 1.6 times that of `Validator`; one pass, or several to leave out invalid records (`InvalidRecords`). Memory: that of
/// `Validator` and about 7 MiB; a record at the damage may take up to `ReaderLimits.tokenSize`.
public struct Recovery: Sendable {
  let rules: RuleSource
  let options: RecoveryOptions

  /// - Parameter rules: the rules that the result is validated against.
  public init(_ rules: RuleSource, options: RecoveryOptions) {
    self.rules = rules
    self.options = options
  }

  /// Recovers a document, which may be compressed or in a ZIP archive, and writes it to `sink`, or the archive with what is whole
  /// (`RecoveryOptions.writesArchive`).
  ///
  /// - Parameters:
  ///   - source: the damaged document. It is read once, or, to leave out invalid records, kept to be read several times.
  ///   - name: its name, which selects the syntax.
  ///   - sink: receives the recovered document. Discard its content if nothing was recovered (`RecoveryReport.isEmpty`).
  ///   - leave: gets what is left out, with its bytes, in pieces of about 1 MiB.
  /// - Throws: `notABackup` for an archive without a document; errors of `sink` and `leave`; to leave out invalid records,
  ///   `unknownFormat`, `noTime`, and errors of temporary files; `CancellationError`. Damage is never an error.
  public func recover<Sink: ByteSink>(
    _ source: some ByteSource, named name: String, to sink: inout Sink,
    leaving leave: @escaping (LeftOut, UnsafeRawBufferPointer) throws -> Void = { _, _ in }
  ) throws -> RecoveryReport {
    try options.validation.execution.cancellation.watch {
      let log = RecoveryLog(name, leave)
      let backup = try OpenedBackup(
        source, named: name, options.validation.execution, keeps: options.invalidRecords != nil || options.writesArchive)
      if try backup.isDamagedArchive {
        try ArchiveRecovery(self, backup).recover(to: &sink, log)
      } else if options.writesArchive {
        throw CofferError(.notZIP, "\(name) is no ZIP archive: only an archive can be recovered as one")
      } else {
        try recover(backup, to: &sink, log)
      }
      return log.report
    }
  }

  /// Recovers the document of a backup.
  func recover(_ backup: OpenedBackup, to sink: inout some ByteSink, _ log: RecoveryLog) throws {
    if let policy = options.invalidRecords { return try ValidRecords(self, backup, policy).recover(to: &sink, log) }
    let document = try DamagedDocument(backup.document(), self)
    let validator = validator(of: document)
    log.report.validation = try written(to: &sink, options.compression) { output in
      _ = try document.copy(to: &output, log)
      log.report.bytesWritten = output.count
    } reading: { [name = backup.name, container = backup.container] in
      try validator.validate(OpenedDocument($0, named: name, in: container)).report
    }
  }

  /// Returns what validates the document that is recovered from `document`. Damage may hide its format and its syntax.
  func validator(of document: DamagedDocument, errorLimit: Int = 0) -> Validator {
    var validation = options.validation
    validation.syntax = document.syntax
    validation.errorLimit = errorLimit
    return Validator(document.identified.identity.ruleSource ?? rules, options: validation)
  }

  /// Writes a plain document to `sink`, and reads it on a thread of its own.
  func written<Sink: ByteSink, R: Sendable>(
    to sink: inout Sink, _ compression: Compression? = nil, write: (inout RecoveredOutput<Sink>) throws -> Void,
    reading read: @escaping @Sendable (ChannelSource) throws -> R
  ) throws -> R {
    let pieces = Channel<[UInt8]>(capacity: 4)
    let both = try pieces.run(
      produce: { _ in
        var output = RecoveredOutput(sink, compression: compression, pieces)
        defer { sink = output.sink }
        try write(&output)
        try output.finish()
      },
      consume: { _ in
        let result = try read(ChannelSource(pieces, named: "the recovered document"))
        // Reading may end early.
        while try pieces.receiveWaiting() != nil {}
        return result
      })
    guard let both else { throw ThreadError() }
    return both.consumed
  }
}

/// A damaged document, and what is known about it.
struct DamagedDocument {
  let identified: IdentifiedDocument
  let syntax: JSONSyntax
  /// The document from its start.
  private let source: any ByteSource
  private let damaged: DamagedSource
  private let options: PassOptions

  init(_ opened: OpenedDocument, _ recovery: Recovery) throws(CofferError) {
    damaged = DamagedSource(opened.damagedContent(recovery.options.validation.execution.expansion))
    let document = OpenedDocument(damaged, named: opened.name, in: opened.container)
    options = recovery.options.pass
    let given = document.syntax(recovery.options.validation.syntax)
    identified = try IdentifiedDocument(document, rules: recovery.rules, syntax: given)
    var source = identified.source
    let start = try source.readPrefix(JSONSyntax.prefixSize)
    if let name = SyntaxDiagnosis.foreignData(start) { throw .foreignData(name) }
    syntax = JSONSyntax.isSequence(start) ? .sequence : given
    self.source = PrefixedSource(prefix: start, rest: source)
  }

  /// Writes what is whole, and notes in the log what isn't.
  ///
  /// - Parameters:
  ///   - origins: what the document was made from, if places are those in that document.
  ///   - removals: the records to leave out, although they are whole.
  /// - Returns: where the bytes that were written come from.
  func copy<Sink: ByteSink>(
    to sink: inout Sink, _ log: RecoveryLog, origins: MoveLog? = nil, without removals: Removals? = nil
  ) throws -> MoveLog {
    // An empty file may be a backup of some formats. Here, all of it is lost.
    let source = identified.emptyDocumentSubstitute == nil ? source : MemorySource([])
    defer {
      log.report.failures = damaged.failures + log.report.failures
      log.report.failureCount += damaged.failureCount
    }
    if syntax != .json {
      var recovery = LineRecovery(
        source, as: syntax, to: sink, options: options, origins: origins, without: removals, leaving: log.add)
      defer { sink = recovery.sink }
      try recovery.run()
      log.report.bytes = recovery.bytesRead
      if let failure = recovery.failure {
        log.report.failures.append(failure)
        log.report.failureCount += 1
      }
      log.report.isEmpty = !recovery.hasContent
      return recovery.moves
    }
    let known = identified.identity.rules.map(KnownCollections.init) ?? KnownCollections()
    var recovery = DocumentRecovery(
      source, to: sink, options: options, known: known, origins: origins, without: removals, leaving: log.add)
    defer { sink = recovery.sink }
    try recovery.run()
    log.report.bytes = recovery.bytesRead
    log.report.isEmpty = !recovery.hasContent
    log.report.isHeadless = log.report.isHeadless || recovery.isHeadless
    return recovery.moves
  }
}

extension OpenedBackup {
  /// True for an archive. If only its name says so, its first bytes are taken for damaged.
  fileprivate var isDamagedArchive: Bool {
    get throws {
      if isArchive || compression != nil || !ZIPReader.isNamed(by: name) { return isArchive }
      var source: any ByteSource = StoredSource(try storedArchive())
      return try !source.readPrefix(1).mayBeJSON
    }
  }
}

extension [UInt8] {
  /// False if no JSON text begins with these bytes.
  fileprivate var mayBeJSON: Bool {
    first.map { "{[\" \t\r\n\u{1E}-0123456789tfn".utf8.contains($0) || $0 == 0xEF } ?? true
  }
}

extension OpenedDocument {
  /// The content. If the name says that it is compressed, and it begins neither so nor like JSON, its first bytes are taken for damaged.
  fileprivate func damagedContent(_ limits: ExpansionLimits) -> any ByteSource {
    guard let format = CompressionFormat(ofFileNamed: name), !(source is any CompressedSource) else { return source }
    var rest = source
    guard let prefix = try? rest.readPrefix(1) else { return source }
    let whole = PrefixedSource(prefix: prefix, rest: rest)
    return prefix.mayBeJSON ? whole : Decompression(whole, as: format, limits: limits).source
  }
}

/// Options for recovering a document.
public struct RecoveryOptions: Sendable {
  /// How the result is validated. Its syntax is that of the document, its limits and threads are those of the recovery, too.
  public var validation: ValidationOptions
  /// Which records to leave out because of errors. `nil` keeps all that are whole.
  public var invalidRecords: InvalidRecords?
  /// The output's compression.
  public var compression: Compression?
  /// True to write a ZIP archive with the recovered document and the other whole files of the damaged archive.
  public var writesArchive = false

  /// - Parameter now: the current time for the rules.
  public init(now: Instant) { validation = ValidationOptions(now: now) }

  var pass: PassOptions { PassOptions(limits: validation.limits, execution: validation.execution) }
}

/// What was recovered, and what was left out.
public struct RecoveryReport: Sendable {
  /// The damaged document's name.
  public let file: String
  /// The uncompressed bytes that were read and written.
  public internal(set) var bytes = 0
  public internal(set) var bytesWritten = 0
  /// True if nothing was recovered.
  public internal(set) var isEmpty = false
  /// True if the beginning of the document is lost, so that its first collection was written as an array without a name.
  public internal(set) var isHeadless = false
  /// True if records with errors were left out so often that the rest was kept: recover the result again.
  public internal(set) var isUnfinished = false
  /// The ranges that were left out or repaired: the first ``maximumLeftOut``, damage before invalid records, each in their order.
  public internal(set) var leftOut: [LeftOut] = []
  public static let maximumLeftOut = 1000
  /// The number of ranges with data, and of their bytes.
  public internal(set) var lossCount = 0
  public internal(set) var lostBytes = 0
  /// The number of places at which only separators or padding are missing or were dropped.
  public internal(set) var repairCount = 0
  /// The number of whole records among the ranges with data, by what is wrong: `invalid`, `duplicate`, `dangling`, or `reference`.
  public internal(set) var invalidCounts: [LeftOut.Reason: Int] = [:]
  /// The number of collections whose names were restored.
  public internal(set) var nameCount = 0
  /// The number of declared counts and sums that were corrected.
  public internal(set) var correctionCount = 0
  /// The errors of reading, such as corrupt compression: the first 100, and the number of all. What can be decompressed behind such damage
  /// was read, too.
  public internal(set) var failures: [CofferError] = []
  public internal(set) var failureCount = 0
  /// What is wrong with the archive's directory, and with its files: those are left out, except the document. The first 1,000.
  public internal(set) var archiveFaults: [CofferError] = []
  public internal(set) var archiveFaultCount = 0
  /// The number of the archive's other files that are whole, or `nil` if the input is no archive.
  public internal(set) var fileCount: Int?
  /// True if they are in the output (`RecoveryOptions.writesArchive`).
  public internal(set) var writesFiles = false
  /// The result of validating what was recovered. Its places are those in the result.
  public package(set) var validation: ValidationReport

  init(file: String) {
    self.file = file
    validation = ValidationReport(file: file)
  }

  /// The number of ranges that ``leftOut`` doesn't have.
  public var notShown: Int { changeCount - leftOut.count }

  /// True if the document had no damage: then the result is the same, byte for byte.
  public var isUndamaged: Bool { changeCount + failureCount + archiveFaultCount == 0 && !isEmpty }

  private var changeCount: Int { lossCount + repairCount + nameCount + correctionCount }

  /// True if data was left out, or may be missing.
  public var isLossy: Bool { lossCount + failureCount + archiveFaultCount > 0 || isEmpty }
}

/// The recovery in a report:
///
///     {"file": "damaged.json", "bytes": 1048576, "bytesWritten": 1048064, "lossCount": 1, "lostBytes": 512, "repairCount": 2, …
///         "leftOut": [{"pointer": "/cars/3", …}], "errors": [], "errorCount": 0, "result": {"format": "ev-charging-tracker", …}}
extension RecoveryReport: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "file": file, "bytes": bytes, "bytesWritten": bytesWritten, "isEmpty": isEmpty, "isHeadless": isHeadless,
      "isUnfinished": isUnfinished,
      "lossCount": lossCount, "lostBytes": lostBytes, "repairCount": repairCount, "nameCount": nameCount,
      "correctionCount": correctionCount,
      "invalidCounts": ReportMembers(
        invalidCounts.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key.rawValue, $0.value) }),
      "leftOut": leftOut,
      "errors": failures, "errorCount": failureCount,
      "archive": IfPresent(
        fileCount.map {
          ["files": $0, "filesAreWritten": writesFiles, "errors": archiveFaults, "errorCount": archiveFaultCount] as ReportMembers
        }),
      "result": validation,
    ])
  }
}

/// Writes the report while the document is copied.
final class RecoveryLog {
  var report: RecoveryReport
  /// The last range, with the parts that followed.
  private var last: LeftOut?
  private let leave: (LeftOut, UnsafeRawBufferPointer) throws -> Void

  init(_ name: String, _ leave: @escaping (LeftOut, UnsafeRawBufferPointer) throws -> Void) {
    report = RecoveryReport(file: name)
    self.leave = leave
  }

  /// Adds a range, or a further part of the last one.
  func add(_ entry: LeftOut, _ bytes: ByteView) throws {
    try bytes.withUnsafeBytes { try leave(entry, $0) }
    guard entry.continues, var range = last else {
      last = entry
      report.count(entry)
      if report.leftOut.count < RecoveryReport.maximumLeftOut { report.leftOut.append(entry) }
      return
    }
    let isShown = report.notShown == 0
    report.count(range, -1)
    range.byteCount += entry.byteCount
    // A later part may show that the range is a loss after all.
    if !range.isLoss { range.reason = entry.reason }
    report.count(range)
    last = range
    if isShown { report.leftOut[report.leftOut.count - 1] = range }
  }
}

extension RecoveryReport {
  fileprivate mutating func count(_ range: LeftOut, _ step: Int = 1) {
    if range.isLoss {
      lossCount += step
      lostBytes += step * range.byteCount
      if range.reason.isOfRules { invalidCounts[range.reason, default: 0] += step }
    } else if range.reason == .name {
      nameCount += step
    } else if range.reason == .count {
      correctionCount += step
    } else {
      repairCount += step
    }
  }
}

/// A recovered document: written to a sink, possibly compressed, and sent to the validator, in pieces.
struct RecoveredOutput<Sink: ByteSink>: ByteSink {
  private var output: CompressibleOutput<Sink>
  private let pieces: Channel<[UInt8]>
  private var buffer: [UInt8] = []
  private(set) var count = 0

  private static var pieceSize: Int { 256 << 10 }

  init(_ sink: Sink, compression: Compression?, _ pieces: Channel<[UInt8]>) {
    output = CompressibleOutput(sink, compression: compression)
    self.pieces = pieces
  }

  var sink: Sink { output.sink }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    count += bytes.count
    var rest = bytes[...]
    while !rest.isEmpty {
      if buffer.isEmpty { buffer.reserveCapacity(Self.pieceSize) }
      let part = rest.prefix(Self.pieceSize - buffer.count)
      buffer.append(contentsOf: part)
      rest = rest.dropFirst(part.count)
      if buffer.count == Self.pieceSize { try flush() }
    }
  }

  mutating func finish() throws(CofferError) {
    try flush()
    try output.finish()
  }

  private mutating func flush() throws(CofferError) {
    try output.write(buffer)
    guard pieces.sendWaiting(buffer) else { throw CofferError(.cancelled, "the validation of the result has ended") }
    buffer = []
  }
}
