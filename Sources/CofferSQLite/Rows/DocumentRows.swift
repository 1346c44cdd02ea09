import BackupFormats
import Coffer
import JSONEvents
import Rules

/// Builds a document's rows during validation, and sends them to the importer.
///
///     {"metadata": {…}, "cars": [{…}, {…}], "expenses": [{…}, …]}
///     member 0 metadata {"…"}  ·  member 1 cars ─▶ rows  ·  member 2 expenses ─▶ rows, most of them built slice by slice
///
/// A collection inside a member leaves an empty array in its value: `{"db": {"version": 3, "entries": [{…}, …]}}` gives the member
/// `{"version":3,"entries":[]}`, and rows.
///
/// Memory: the other root members, each as one value for SQLite, and the rows of a few slices.
struct DocumentRows: ValidationObserver {
  /// Returns the tables. Called before the first value is stored.
  private let makeLayout: (BackupFormat) throws -> DatabaseLayout
  private let send: (StageStep) throws -> Void
  /// Checks the version. Called as soon as the version is known, and at the end.
  private let checkVersion: (BackupFormat, FormatVersion) throws -> Void
  private let areRulesDrafted: Bool
  private var layout: DatabaseLayout?
  private var format: BackupFormat?
  /// The reason why no format was chosen; set only if several match.
  private var undecided: String?
  private var container = BackupFormat.Container.json
  private var origin = OriginReader(nil)

  private var depth = 0
  /// The name of the current or next root member.
  private var name: String?
  private var value: [UInt8] = []
  private var compact = CompactText()
  private var place = Place.root
  /// The records of the current collection that aren't in slices.
  private var records: RecordRows?

  private enum Place {
    case root
    /// Inside a member that is stored unchanged.
    case member
    /// Between or inside the records of a collection, which are inside `depth` brackets. Records that aren't kept are skipped.
    case records(TableLayout, depth: Int, isKept: Bool)
  }

  /// The collections inside the current member: their tables, and their places.
  private var inner: (tables: [TableLayout], places: PointerTree)?
  /// The pointers of those that were read.
  private var innerSeen: Set<ExactText> = []

  /// A value in SQLite holds at most a billion bytes.
  private static let memberLimit = 256 << 20

  init(
    makeLayout: @escaping (BackupFormat) throws -> DatabaseLayout,
    checkVersion: @escaping (BackupFormat, FormatVersion) throws -> Void, areRulesDrafted: Bool = false,
    send: @escaping (StageStep) throws -> Void
  ) {
    self.makeLayout = makeLayout
    self.checkVersion = checkVersion
    self.areRulesDrafted = areRulesDrafted
    self.send = send
  }

  mutating func begin(_ document: ValidatedDocument, in container: BackupFormat.Container) throws {
    // An unreadable document may lack the part that identifies its format. In that case the read error is reported.
    guard let format = document.format else {
      if document.report.formatProblem == .ambiguous { undecided = document.undecided }
      return
    }
    self.format = format
    self.container = container
    origin = OriginReader(format)
  }

  /// Returns the document's tables, and sends them as the first change.
  private mutating func startedLayout() throws -> DatabaseLayout {
    if let layout { return layout }
    guard let format else { preconditionFailure("a document begins with its format") }
    let new = try makeLayout(format)
    try send(.tables(new))
    layout = new
    return new
  }

  // MARK: The envelope

  mutating func consume(_ batch: EventBatch, lines: LineCursor) throws {
    if format == nil { return }
    var index = 0
    while index < batch.count {
      if case .records(_, let outer, let isKept) = place {
        index = try takeRecords(batch, from: index, outer, isKept, lines)
        continue
      }
      let event = batch[index]
      origin.consume(event, of: batch)
      try take(event, of: batch, lines)
      index += 1
    }
    try flush(lines)
  }

  private mutating func take(_ event: Event, of batch: EventBatch, _ lines: LineCursor) throws {
    if case .member = place { return try takeInner(event, of: batch, lines) }
    switch event.kind {
    case .key:
      let name = batch.text(of: event)
      let offset = batch.offset(of: event)
      if event.isDuplicateKey {
        throw Self.error("the document has the member '\(name.prefix(64).string)' twice", at: offset, lines)
      }
      self.name = name.string
      if self.name?.utf8.contains(0) == true {
        throw Self.error("the document has a member whose name contains NUL", at: offset, lines)
      }
    case .objectStart where try depth == 0 && startedLayout().table(at: "")?.kind != .object, .objectEnd where depth == 1:
      depth += event.kind.depthChange
    case .arrayStart: try beginCollection(.array, event, of: batch, lines)
    case .objectStart: try beginCollection(.object, event, of: batch, lines)
    default: try beginMember(event, of: batch, lines)
    }
  }

  private mutating func beginCollection(
    _ kind: RuleDocument.Collection.Kind, _ event: Event, of batch: EventBatch, _ lines: LineCursor
  ) throws {
    let pointer = name.map { "/" + $0.pointerToken } ?? ""
    let layout = try startedLayout()
    guard let table = layout.table(at: pointer), table.kind == kind, depth == (pointer.isEmpty ? 0 : 1) else {
      return try beginMember(event, of: batch, lines)
    }
    try send(.member(name: name, value: nil))
    try beginRecords(of: table, layout)
  }

  private mutating func beginRecords(of table: TableLayout, _ layout: DatabaseLayout) throws {
    if let format, origin.declaredVersion != .absent { try checkVersion(format, origin.declaredVersion) }
    depth += 1
    place = .records(table, depth: depth, isKept: layout.keeps(table.pointer))
    records = RecordRows(table)
  }

  private mutating func beginMember(_ event: Event, of batch: EventBatch, _ lines: LineCursor) throws {
    value.removeAll(keepingCapacity: true)
    compact = CompactText()
    place = .member
    let tables = try startedLayout().tables(inside: name)
    inner = tables.isEmpty ? nil : (tables, PointerTree(tables.map(\.pathInMember)))
    try takeInner(event, of: batch, lines)
  }

  private mutating func takeInner(_ event: Event, of batch: EventBatch, _ lines: LineCursor) throws {
    compact.append(event, of: batch, to: &value)
    let number = inner?.places.follow(event, of: batch).first
    if let table = number.flatMap({ inner?.tables[$0] }), event.kind == table.kind.start {
      guard innerSeen.insert(ExactText(table.pointer)).inserted else {
        throw Self.error("the document has \(table.pointer) twice", at: batch.offset(of: event), lines)
      }
      return try beginRecords(of: table, startedLayout())
    }
    depth += event.kind.depthChange
    if value.count > Self.memberLimit {
      throw CofferError(
        .unsupportedValue,
        "the member '\(name ?? "")' is larger than \(Self.memberLimit >> 20) MiB and not a collection of the format: it can't be stored as one value"
      )
    }
    guard event.kind != .key, depth == (name == nil ? 0 : 1) else { return }
    _ = try startedLayout()
    try send(.member(name: name, value: value))
    name = nil
    place = .root
  }

  private mutating func takeRecords(
    _ batch: EventBatch, from start: Int, _ outer: Int, _ isKept: Bool, _ lines: LineCursor
  ) throws -> Int {
    var index = start
    while index < batch.count {
      let event = batch[index]
      if depth == outer, event.kind == .arrayEnd || event.kind == .objectEnd { break }
      depth += event.kind.depthChange
      index += 1
    }
    if isKept, index > start { records?.builder.take(batch, start..<index) }
    guard index < batch.count else { return index }
    // The records say nothing about the document's origin.
    origin.consume(batch[index], of: batch)
    try flush(lines)
    records = nil
    if depth > (name == nil ? 1 : 2) {
      place = .member
      try takeInner(batch[index], of: batch, lines)
    } else {
      depth -= 1
      name = nil
      place = .root
    }
    return index + 1
  }

  /// Sends the complete rows.
  private mutating func flush(_ lines: LineCursor) throws {
    guard case .records(let table, _, true) = place, let records else { return }
    if let failure = records.builder.failure { throw Self.error(failure.message, at: failure.offset, lines) }
    guard records.builder.rowCount > 0, records.builder.isBetweenRecords else { return }
    try send(.rows(records.builder.takeBatch(), table))
  }

  private static func error(_ message: String, at offset: Int, _ lines: LineCursor) -> CofferError {
    var lines = lines
    return CofferError(.unsupportedValue, message, at: .init(position: lines.position(at: offset)))
  }

  // MARK: Slices

  func slices(recordsBefore: Int) throws -> (@Sendable () -> RecordRows)? {
    guard case .records(let table, let outer, let isKept) = place, depth == outer else { return nil }
    return { RecordRows(table, isKept: isKept) }
  }

  mutating func merge(_ batch: RowBatch, of slice: Slice) throws {
    guard case .records(let table, _, _) = place else { return }
    if let failure = batch.failure { throw Self.error(failure.message, at: failure.offset, slice.lines) }
    try send(.rows(batch, table))
  }

  mutating func finish() throws {
    guard let format else {
      throw CofferError(
        .unknownFormat,
        undecided ?? "unknown format")
    }
    _ = try startedLayout()
    try checkVersion(format, origin.declaredVersion)
    func send(_ name: String, _ value: String?) throws { try self.send(.property(name: name, value: value)) }
    try send("format", format.name)
    try send("version", (origin.declaredVersion.number(ifAbsent: format.version?.ifAbsent[container])).map(String.init))
    // A newer document is stored in the tables of the newest known version.
    if format.isNewer(origin.declaredVersion) { try send("tables", format.version.map { String($0.current) }) }
    try send("createdAt", origin.createdAt?.description)
    try send("form", String(DatabaseLayout.formVersion))
    // Other files that rules refer to can't be stored with them.
    if !format.isBuiltIn, !format.refersToFiles { try send(BackupProperties.rules, format.descriptor) }
    if areRulesDrafted { try send(BackupProperties.drafted, "1") }
  }
}

/// Builds the rows of a slice, on one thread.
final class RecordRows: SliceObserver {
  fileprivate var builder: RowBuilder
  /// True if the records are imported.
  private let isKept: Bool

  init(_ table: TableLayout, isKept: Bool = true) {
    builder = RowBuilder(table)
    self.isKept = isKept
  }

  func begin(_ slice: Slice) { builder.discard() }

  func consume(_ batch: EventBatch) { if isKept { builder.take(batch, 0..<batch.count) } }

  func end() -> RowBatch { builder.takeBatch() }
}

/// One step of filling a stage, in the document's order. The thread that reads the document sends it to the thread that writes.
enum StageStep: Sendable {
  /// Creates the tables. The first step.
  case tables(DatabaseLayout)
  /// Appends rows to the table.
  case rows(RowBatch, TableLayout)
  /// A member of the root; without a name, the root itself, which isn't an object. Without a value, the place of the collection with
  /// this name.
  case member(name: String?, value: [UInt8]?)
  /// A property of the backup, for `coffer_backup`.
  case property(name: String, value: String?)
}
