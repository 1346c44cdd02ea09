public import BackupFormats
public import ByteStreams
import Findings
import JSONEvents
import LZ4Streams
import Rules

/// Looks at documents without judging them: what they are, whether they can be imported, how many records they hold and from when.
///
/// For example:
///
///     let inspector = Inspector(.detected(try .builtIn()), options: InspectionOptions(now: now))
///     let inspection = try inspector.inspect(FileSource(path: "export.json"), named: "export.json")
///     print(inspection.importability.isPossible, inspection.collections.map(\.count))
///
/// Cost: one pass, on all threads; memory for some slices of 1 MiB, whatever the document's size.
public struct Inspector: Sendable {
  private let rules: ValidationRules
  private let options: InspectionOptions

  /// An inspector of any number of documents. Nothing is read or compiled yet.
  ///
  /// - Parameters:
  ///   - rules: what says where a document's collections, version and origin are: `detected` takes the format that each shows itself to be of; one of
  ///     unknown format is told of by its structure.
  ///   - options: what is told of, and how many threads work. Without a `now` that is right, a date of creation can't be told to lie in the future.
  public init(_ rules: ValidationRules, options: InspectionOptions) {
    self.rules = rules
    self.options = options
  }

  /// Reads `source` to its end and says what it is. What keeps it from being read to its end is the inspection's `error`.
  ///
  /// - Parameters:
  ///   - source: the document, or LZ4 data that holds it.
  ///   - name: its name in the inspection.
  /// - Throws: `CancellationError` if the options' cancellation is requested; `CollectionError` if the rules describe no collection that alone is asked
  ///   for.
  public func inspect(_ source: some ByteSource, named name: String) throws -> Inspection {
    let stored = ByteProgress()
    stored.expect((source as? FileSource)?.byteCount)
    var inspection = Inspection(file: name)
    do {
      let source = try MeteredSource(source, stored).document()
      try inspect(expanded: source, &inspection)
    } catch {
      try note(error, in: &inspection)
    }
    // How much had been read of a stream that broke off depends on how it was cut.
    inspection.storedBytes = stored.byteCount ?? (inspection.error == nil ? stored.bytesRead : nil)
    return inspection
  }

  /// Inspects the document that a ZIP holds, and gives the names of the entries that its records name.
  package func inspectEntry(_ source: some ByteSource, ofArchive name: String) throws -> (
    inspection: Inspection, names: Set<String>
  ) {
    var inspection = Inspection(file: name)
    inspection.container = .zip
    let names = try inspect(expanded: source, &inspection)
    return (inspection, names)
  }

  /// - Parameter source: the document; an `LZ4Source` if it is compressed.
  /// - Returns: the entries of the container that records name.
  @discardableResult
  func inspect(expanded source: any ByteSource, _ inspection: inout Inspection) throws -> Set<String> {
    var source = source
    if source is LZ4Source { inspection.compression = .lz4 }
    var pass = options.pass
    if inspection.container != .zip { pass.syntax = options.syntax ?? JSONSyntax(ofFileNamed: inspection.file) }
    if pass.syntax == .jsonLines { inspection.container = .jsonLines }
    do {
      let plan = try plan(for: &source, pass.syntax, &inspection)
      return try inspect(source, by: plan, pass, &inspection)
    } catch {
      try note(error, in: &inspection)
      return []
    }
  }

  private func inspect(
    _ source: any ByteSource, by plan: InspectionPlan, _ options: PassOptions, _ inspection: inout Inspection
  ) throws -> Set<String> {
    var pass = DocumentPass(source, for: InspectionConsumer(plan, limits: options.limits), options: options)
    do {
      try pass.run()
    } catch {
      try note(error, in: &inspection)
    }
    if inspection.error == nil { inspection.documentBytes = pass.bytesRead }
    pass.consumer.describe(in: &inspection, now: self.options.now)
    if let only = self.options.only { try inspection.keep(only) }
    return pass.consumer.collections.reduce(into: []) { $0.formUnion($1.survey.tally.entries) }
  }

  private func note(_ error: any Error, in inspection: inout Inspection) throws {
    if error is CancellationError || error is CollectionError { throw error }
    try options.cancellation.check()
    let error = DocumentError(error)
    inspection.error = error
    inspection.importability = .unreadable
    // How much more had been read by then depends on how the source cuts its bytes.
    if let position = error.position { inspection.documentBytes = position.offset }
  }

  // MARK: Rules

  /// What is known of a document, whose start is looked at if its format is to be detected.
  private func plan(
    for source: inout any ByteSource, _ syntax: JSONSyntax, _ inspection: inout Inspection
  ) throws -> InspectionPlan {
    let container: BackupFormat.Container = inspection.container == .zip ? .zip : .json
    switch rules {
    case .format(let format):
      inspection.format = .known(name: format.name, title: format.title, dialect: nil, reasons: [])
      let prefix = try source.readPrefix(FormatCatalog.prefixSize)
      let isEmpty = prefix.isEmpty && format.emptyDocument != nil
      source = isEmpty ? MemorySource((format.emptyDocument ?? "").utf8) : PrefixedSource(prefix: prefix, rest: source)
      return InspectionPlan(format, in: container, prefix: prefix)
    case .document(let document, let name):
      inspection.format = .rules(name: name)
      return InspectionPlan(document)
    // No format is written a value a line.
    case .detected where syntax == .jsonLines: return InspectionPlan()
    case .detected(let catalog):
      let prefix = try source.readPrefix(FormatCatalog.prefixSize)
      if prefix.isEmpty, let match = catalog.detect(emptyFileNamed: inspection.file) {
        source = MemorySource((match.format.emptyDocument ?? "").utf8)
        inspection.format = .known(name: match.format.name, title: match.format.title, dialect: nil, reasons: match.reasons)
        return InspectionPlan(match.format, in: container, prefix: prefix)
      }
      source = PrefixedSource(prefix: prefix, rest: source)
      switch catalog.detect(in: prefix, container: container) {
      case .format(let match):
        inspection.format = .known(
          name: match.format.name, title: match.format.title, dialect: match.dialect, reasons: match.reasons)
        return InspectionPlan(match.format, in: container, prefix: prefix)
      case .unknown(let nearest):
        inspection.format = .unknown(nearest: nearest.map(FormatCandidate.init))
        return InspectionPlan()
      case .ambiguous(let matches):
        inspection.format = .ambiguous(matches.map(FormatCandidate.init))
        return InspectionPlan()
      }
    }
  }
}

extension Inspection {
  /// Tells of some collections alone.
  fileprivate mutating func keep(_ selection: CollectionSelection) throws(CollectionError) {
    let kept = try selection.choice(from: collections.map { ($0.pointer, $0.title) }, of: format.name).kept
    collections.removeAll { !kept.contains($0.pointer) }
  }
}

extension Inspection.FormatIdentity {
  /// How messages call it.
  fileprivate var name: String {
    switch self {
    case .known(let name, _, _, _), .rules(let name): name
    case .unknown, .ambiguous: "the document"
    }
  }
}
