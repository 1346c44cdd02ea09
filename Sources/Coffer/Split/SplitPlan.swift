package import BackupFormats
package import ByteStreams
import Digests
package import Findings
package import Foundation
package import JSONEvents
package import Rules

/// How one run is divided into tasks for several processes or machines.
///
/// A plan has everything that the tasks share: the rules, the options, the time, and of each document the envelope and the places
/// of its parts. So a task needs only the plan and the bytes of its parts.
///
///     { "cars" : [ …………………………………… ], "ideas" : [ …… ] }
///                 |- task 0 ->|- task 1 ----------------->|         a part ends after a comma, or before its collection's bracket
///
/// As JSON:
///
///     {"formatVersion": 1, "tool": "0.1.0", "now": "2026-07-01T00:00:00Z", "key": [1, 2],
///      "options": {"maxFindings": 1000, "duplicateKeys": "warn", "redact": false, "memoryLimit": 268435456,
///                  "maxSize": 1099511627776, "maxRatio": 200, "maxDepth": 512, "maxString": 67108864,
///                  "maxLine": 67108864, "keyBuckets": 64},
///      "rules": {"name": "rules.json", "text": "…", "formats": "byDialect", "folders": {}},
///      "files": [{"name": "export.json", "syntax": "json", "bytes": 996…, "report": {…},
///                 "gaps": [{"pointer": "/cars", "depth": 2, "isObject": false, "start": {…}, "end": {…}, "isClosed": true}],
///                 "pieces": [{"start": {…}, "bytes": "eyJjYXJzIjpb"}, …]}],
///      "tasks": [{"parts": [{"file": 0, "gap": 0, "start": {…}, "end": {…}}]}]}
package struct SplitPlan: Sendable, Codable {
  /// A place in a collection: before the record with that index.
  package struct Mark: Sendable, Hashable, Codable {
    package var offset: Int
    package var line: Int
    package var column: Int
    package var index: Int

    package init(_ position: TextPosition, index: Int) {
      offset = position.offset
      line = position.line
      column = position.column
      self.index = index
    }

    package var position: TextPosition { TextPosition(offset: offset, line: line, column: column) }
  }

  /// The options that the result depends on.
  package struct Options: Sendable, Hashable, Codable {
    package var maxFindings: Int
    package var duplicateKeys: ValidationOptions.DuplicateKeys
    package var redact: Bool
    package var only: [String]?
    /// The array whose items are documents of their own.
    package var each: String?
    package var memoryLimit: Int
    /// The limits of what compressed data may expand to.
    package var maxSize: Int
    package var maxRatio: Int
    /// The limits of the reader.
    package var maxDepth: Int
    package var maxString: Int
    package var maxLine: Int
    /// The number of buckets that tasks divide operations on keys among, if other processes decide them.
    package var keyBuckets: Int
    /// The baseline that the reports will be compared with, if there is one.
    package var baseline: BaselineUse?
  }

  /// What tasks need to know of a baseline: how many findings to keep.
  package struct BaselineUse: Sendable, Hashable, Codable {
    /// The number of findings that it accepts.
    package var count: Int
    /// True if it will be updated, which needs all findings.
    package var isUpdated: Bool

    package init(count: Int, isUpdated: Bool) {
      self.count = count
      self.isUpdated = isUpdated
    }
  }

  /// Rules of the user's own.
  package struct OwnRules: Sendable, Hashable, Codable {
    /// The name of the rules in reports. Its extension is that of their syntax.
    package var name: String
    package var text: String
    package var formats: RuleDocument.FormatAssertion
    /// The texts of the files that they refer to, by path.
    package var files: [String: String]
    /// The folders and files of documents that they refer to, by URI.
    package var folders: [String: String]
    /// The folder where their relative references start, and the one that these must not leave.
    package var baseFolder: String?
    package var referenceFolder: String?

    package init(name: String, text: String, files: [String: String] = [:], _ options: RuleDocument.Options) {
      self.name = name
      self.text = text
      self.files = files
      formats = options.formats
      folders = Dictionary(options.folders.map { ($0.uri, $0.path.string) }) { first, _ in first }
      baseFolder = options.baseFolder?.string
      referenceFolder = options.referenceFolder?.string
    }

    /// - Parameter options: the syntaxes of rule documents.
    func options(_ options: RuleDocument.Options) -> RuleDocument.Options {
      var options = options
      options.formats = formats
      options.folders = folders.sorted { $0.key < $1.key }.map { RuleDocument.Folder(uri: $0.key, path: FilePath($0.value)) }
      options.baseFolder = baseFolder.map { FilePath($0) }
      options.referenceFolder = referenceFolder.map { FilePath($0) }
      options.fileTexts = files
      return options
    }
  }

  /// A document.
  package struct File: Sendable, Codable {
    /// The path of the document, or its name in reports.
    package var name: String
    package var syntax: JSONSyntax
    package var bytes: Int
    /// The report before anything was evaluated: the format, and how it was detected.
    package var report: ValidationReport
    /// The collections that were left out of the envelope, in the document's order. Empty if the document is one part.
    package var gaps: [Gap] = []
    /// The envelope: a piece before each gap, and one after the last gap. That one is missing if the rest has a fault.
    package var pieces: [Piece] = []
  }

  package struct Piece: Sendable, Codable {
    package var start: Mark
    package var bytes: Data
  }

  /// A collection that was left out of the envelope.
  package struct Gap: Sendable, Codable {
    package var pointer: String
    /// The number of open brackets around a record.
    package var depth: Int
    /// True if the records are the members of an object.
    package var isObject: Bool
    package var start: Mark
    /// The place of the closing bracket. If the collection has a fault, it is the place after a comma before the fault.
    package var end: Mark
    package var isClosed: Bool
  }

  /// Consecutive records of one collection, or a whole file.
  package struct Part: Sendable, Hashable, Codable {
    package var file: Int
    /// The gap that it is a part of, or `nil` if it is the whole file.
    package var gap: Int?
    package var start: Mark
    package var end: Mark
  }

  package struct Task: Sendable, Codable {
    package var parts: [Part]
  }

  package static let formatVersion = 1

  package var formatVersion = Self.formatVersion
  /// The version of Coffer.
  package var tool: String
  package var now: String
  /// The key of the hashes of records' keys, the same in all tasks.
  package var key: [UInt64]
  package var options: Options
  /// The format that was named.
  package var format: String?
  package var rules: OwnRules?
  package var files: [File]
  package var tasks: [Task]
}

extension CofferError.Code {
  /// A plan is malformed.
  public static let invalidPlan = Self(rawValue: "invalid-plan")
  /// A document, a partial result or this version of Coffer isn't the one of the plan.
  public static let planMismatch = Self(rawValue: "plan-mismatch")
  /// Some partial results have operations on keys, and others wrote them as rows.
  public static let keyRows = Self(rawValue: "key-rows")
}

extension SplitPlan {
  private struct Head: Decodable {
    let formatVersion: Int
    let tool: String
  }

  /// The largest plan that is read.
  private static let sizeLimit = 1 << 30

  /// Reads and checks a plan.
  ///
  /// - Returns: the plan and its digest, which ties the partial results to it.
  /// - Throws: `invalidPlan`, `planMismatch` for a plan of another version of Coffer, and errors of the source.
  package static func read(_ source: some ByteSource, tool: String) throws(CofferError) -> (plan: SplitPlan, digest: String) {
    var source = source
    let bytes = try source.readPrefix(Self.sizeLimit + 1)
    if bytes.count > Self.sizeLimit { throw CofferError(.invalidPlan, "the plan is larger than the limit of 1 GiB") }
    let plan: SplitPlan
    do {
      let head = try JSONDecoder().decode(Head.self, from: Data(bytes))
      if head.formatVersion != formatVersion {
        throw CofferError(
          .planMismatch,
          "the plan has the format version \(head.formatVersion), but this version of coffer reads only \(formatVersion)")
      }
      if head.tool != tool {
        throw CofferError(
          .planMismatch,
          "coffer \(head.tool) made the plan, but this is coffer \(tool): use one version for all tasks")
      }
      plan = try JSONDecoder().decode(SplitPlan.self, from: Data(bytes))
    } catch let error as CofferError {
      throw error
    } catch {
      throw CofferError(.invalidPlan, "this is not a plan of coffer split", underlying: error)
    }
    guard plan.isValid else { throw CofferError(.invalidPlan, "the plan is damaged: its parts contradict each other") }
    return (plan, MessageDigest.text(of: bytes, by: .sha256))
  }

  /// Writes the plan as one line of JSON.
  package func write(to sink: inout some ByteSink) throws(CofferError) {
    try sink.write(sortedJSON)
    try sink.write("\n")
  }

  /// True if all numbers are in range and in order, so that no arithmetic with them overflows.
  private var isValid: Bool {
    guard key.count == 2, Instant(now) != nil, options.maxFindings >= 0, options.memoryLimit >= 0,
      options.maxSize >= 0, options.maxRatio >= 1,
      (1...KeyRowWriter.bucketLimit).contains(options.keyBuckets),
      !(format != nil && rules != nil)
    else { return false }
    guard (0...Baseline.limit).contains(options.baseline?.count ?? 0) else { return false }
    for file in files {
      guard (0...1 << 53).contains(file.bytes) else { return false }
      var end = 0
      for (index, gap) in file.gaps.enumerated() {
        guard (1...3).contains(gap.depth), gap.start.isValid, gap.end.isValid, gap.start.offset >= end,
          gap.end.offset >= gap.start.offset,
          gap.end.offset <= file.bytes, gap.end.index >= gap.start.index, gap.isClosed || index == file.gaps.count - 1,
          file.pieces.indices.contains(index)
        else { return false }
        end = gap.end.offset
      }
      let mostPieces = file.gaps.last.map { file.gaps.count + ($0.isClosed ? 1 : 0) } ?? 0
      guard (file.gaps.count...mostPieces).contains(file.pieces.count), file.pieces.allSatisfy(\.start.isValid) else {
        return false
      }
    }
    return hasAllParts
      && tasks.lazy.flatMap(\.parts).allSatisfy { part in
        part.start.isValid && part.end.isValid && part.end.offset >= part.start.offset
          && (part.gap == nil || part.end.index >= part.start.index)
      }
  }

  /// True if the tasks have all parts of all files, in order.
  private var hasAllParts: Bool {
    var rest = tasks.flatMap(\.parts)[...]
    for (number, file) in files.enumerated() {
      if file.gaps.isEmpty {
        guard let part = rest.popFirst(), part.file == number, part.gap == nil else { return false }
      }
      for (gap, whole) in file.gaps.enumerated() {
        var end = whole.start
        while end != whole.end {
          guard let part = rest.popFirst(), part.file == number, part.gap == gap, part.start == end, part.end.offset > end.offset
          else { return false }
          end = part.end
        }
      }
    }
    return rest.isEmpty
  }

  /// The rules that apply to all files.
  ///
  /// - Parameter ruleOptions: the syntaxes of rule documents.
  package func ruleSource(options ruleOptions: RuleDocument.Options, catalog: FormatCatalog = .builtIn) throws -> RuleSource {
    let source = try wholeRules(options: ruleOptions, catalog: catalog)
    return try options.each.map { try source.forEachItem(of: $0) } ?? source
  }

  private func wholeRules(options ruleOptions: RuleDocument.Options, catalog: FormatCatalog) throws -> RuleSource {
    if let format { return .format(try catalog.format(ofPlan: format)) }
    guard let rules else { return .detected(catalog) }
    let ruleOptions = rules.options(ruleOptions)
    let document = try RuleDocument(
      MemorySource(rules.text.utf8), syntax: ruleOptions.syntax(of: FilePath(rules.name)), options: ruleOptions)
    return document.describesFormat ? .format(try BackupFormat(document)) : .document(document, name: rules.name)
  }

  /// The options of the run.
  package func validationOptions(_ execution: Execution) -> ValidationOptions {
    var result = ValidationOptions(now: Instant(now) ?? .now)
    result.maximumFindings = options.maxFindings
    if let baseline = options.baseline {
      if baseline.isUpdated {
        result.keepAllFindings()
      } else {
        result.maximumFindings = result.maximumFindings.saturatingSum(baseline.count)
        result.findingMemory += baseline.count << 10
      }
    }
    result.duplicateKeys = options.duplicateKeys
    result.redacts = options.redact
    result.only = options.only.map { CollectionSelection($0) }
    result.execution = execution
    result.execution.memoryLimit = options.memoryLimit
    result.execution.expansion.size = options.maxSize
    result.execution.expansion.ratio = options.maxRatio
    // A damaged plan may have any numbers.
    result.limits.depth = min(max(1, options.maxDepth), ReaderLimits.largestDepth)
    result.limits.tokenSize = min(max(1, options.maxString), 1 << 30)
    result.limits.lineSize = min(max(1, options.maxLine), 1 << 30)
    result.digestKey = SipHash128.Key(low: key[0], high: key[1])
    return result
  }
}

extension FormatCatalog {
  /// - Throws: `planMismatch` if there is no such format.
  func format(ofPlan name: String) throws(CofferError) -> BackupFormat {
    guard let format = self[name] else { throw CofferError(.planMismatch, "the plan's format '\(name.printable)' is unknown") }
    return format
  }
}

extension SplitPlan.Mark {
  var isValid: Bool {
    (0...1 << 53).contains(offset) && (1...1 << 53).contains(line) && (1...1 << 53).contains(column)
      && (0...1 << 53).contains(index)
  }
}

extension SplitPlan {
  /// Distributes parts over tasks of about the same size.
  ///
  /// - Parameters:
  ///   - parts: in the order of the files, and of each document.
  ///   - count: the number of tasks. If there are fewer parts, the last tasks have none.
  package static func tasks(_ count: Int, of parts: [Part]) -> [Task] {
    precondition(count > 0, "there is no task")
    var tasks = Array(repeating: Task(parts: []), count: count)
    let total = parts.reduce(0) { $0 + max(1, $1.end.offset - $1.start.offset) }
    var before = 0
    for part in parts {
      let size = max(1, part.end.offset - part.start.offset)
      // The task of its middle, so that all tasks differ by about a part at most.
      let number = min(count - 1, Int((Double(before) + Double(size) / 2) / Double(total) * Double(count)))
      tasks[number].append(part)
      before += size
    }
    return tasks
  }
}

extension SplitPlan.Task {
  /// Appends a part, and joins it with the one before if both are of the same collection.
  fileprivate mutating func append(_ part: SplitPlan.Part) {
    if let last = parts.last, part.gap != nil, last.file == part.file, last.gap == part.gap {
      parts[parts.count - 1].end = part.end
    } else {
      parts.append(part)
    }
  }
}

extension SplitPlan.File {
  /// The envelope up to its first gap.
  func envelope() -> EnvelopeSource { EnvelopeSource(piece(0)) }

  /// - Parameter object: the innermost open object at a gap.
  /// - Throws: `planMismatch` if the gap is in a collection of the other kind.
  func checkKind(_ object: OpenObject?, at gap: Int) throws(CofferError) {
    if gaps[gap].isObject == (object != nil) { return }
    throw CofferError(
      .planMismatch,
      "\(name): the plan has an \(object == nil ? "object where the file has an array" : "array where the file has an object")")
  }

  /// The envelope after a gap, as far as the plan has it.
  func continuation(after gap: Int) -> EnvelopeSource.Continuation {
    guard pieces.indices.contains(gap + 1) else { return .end }
    return .envelope(piece(gap + 1), from: gaps[gap].end.position, skipped: .all)
  }

  /// The rest of the file, from a place in a collection on. It is read sequentially, as after a malformed record.
  func rest(
    from mark: SplitPlan.Mark, in gap: Int, _ bytes: StoredBytes, _ options: ValidationOptions
  ) -> EnvelopeSource.Continuation {
    let source = StoredSource(bytes, mark.offset..<bytes.byteCount)
    if syntax == .jsonLines {
      return .lines(
        LineSlicer(
          source, options: options.slices ?? Slicer.Options(), limits: options.limits, from: mark.position, firstIndex: mark.index
        ))
    }
    let isClosed = gaps[gap].isClosed && mark.offset == gaps[gap].end.offset
    let isStart = mark.offset == gaps[gap].start.offset
    return .envelope(EnvelopeSource.Piece(source), from: mark.position, skipped: isStart ? nil : isClosed ? .all : .first)
  }

  /// Looks findings up by reading near them: the envelope is in the plan.
  ///
  /// - Returns: `nil` if the whole document must be read.
  func matches(
    of findings: [Finding], by consumer: LookupConsumer, in bytes: StoredBytes, _ options: PassOptions,
    _ validationOptions: ValidationOptions
  ) throws -> [ValueLookup.Match]? {
    let places = Dictionary(findings.map { ($0.place.offset, $0.place) }) { first, _ in first }
    var pass = DocumentPass(envelope(), for: consumer, options: options)
    var number = 0
    var isComplete = true
    do {
      try pass.run { consumer, _ in
        let gap = gaps[number]
        let finder = RecordFinder(bytes: bytes, gap: gap, syntax: options.syntax, limits: options.limits)
        while let offset = consumer.pendingOffsets.first, offset < gap.end.offset {
          guard let place = places[offset], let record = try finder.record(around: place),
            try consumer.consume(record, depth: gap.depth)
          else {
            isComplete = false
            return .end
          }
        }
        number += 1
        if pieces.indices.contains(number) { return continuation(after: number - 1) }
        // The rest has a fault.
        if consumer.pendingOffsets.isEmpty, !consumer.awaitsEnds { return .end }
        return rest(from: gap.end, in: number - 1, bytes, validationOptions)
      }
    } catch let error as CofferError where error.place.position != nil {
      // The validation has reported the error.
    }
    return isComplete ? pass.consumer.matches : nil
  }

  private func piece(_ index: Int) -> EnvelopeSource.Piece {
    EnvelopeSource.Piece(
      MemorySource(pieces[index].bytes), byteCount: gaps.indices.contains(index) ? pieces[index].bytes.count : nil)
  }

  /// The end of the bytes that a part needs: the last part of a collection includes its closing bracket.
  func end(of part: SplitPlan.Part) -> Int {
    guard let number = part.gap, gaps[number].isClosed, syntax == .json,
      part.end.offset == gaps[number].end.offset
    else { return part.end.offset }
    return min(part.end.offset + 1, bytes)
  }

  /// Opens the file, and checks its size.
  ///
  /// - Throws: `planMismatch` if it is another file; errors of the system.
  func opened(_ open: (String) throws(CofferError) -> StoredBytes) throws(CofferError) -> StoredBytes {
    let stored = try open(name)
    guard stored.byteCount == bytes else { throw changed }
    return stored
  }

  var changed: CofferError { CofferError(.planMismatch, "\(name) differs from the file that was planned, in size or content") }
}

extension Validator {
  /// Returns the rules for a document that is read for the first time, and what is known of it.
  func identify(
    _ document: some ByteSource, named name: String, _ syntax: JSONSyntax
  ) throws -> (program: RuleProgram, result: ValidatedDocument) {
    var result = ValidatedDocument(report: ValidationReport(file: name))
    result.syntax = syntax
    let identified = try IdentifiedDocument(OpenedDocument(document, named: name), rules: rules, syntax: syntax)
    result.identify(as: identified.identity)
    return (try program(for: &result), result)
  }

  /// Returns a pass over the envelope of a document of a plan.
  ///
  /// - Parameter prepare: gets the consumer before anything is consumed.
  func pass(
    over file: SplitPlan.File, _ result: inout ValidatedDocument, prepare: (inout DocumentEvaluator) throws -> Void = { _ in }
  ) throws -> DocumentPass<DocumentEvaluator> {
    result.syntax = file.syntax
    let program = try program(for: &result)
    var passOptions = options.pass
    passOptions.syntax = result.syntax
    passOptions.execution.progress = nil
    var evaluator = DocumentEvaluator(program, options: options.evaluation(of: result.format, in: .json))
    try prepare(&evaluator)
    passOptions.keys = evaluator.options.keyComparison
    return DocumentPass(file.envelope(), for: evaluator, options: passOptions)
  }
}

extension Encodable {
  /// The value as JSON in one line, with sorted members: the same value gives the same bytes. Only for numbers, strings, and what is made
  /// of them.
  package var sortedJSON: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let json = try? encoder.encode(self) else { preconditionFailure("numbers and strings can be encoded") }
    return Array(json)
  }
}
