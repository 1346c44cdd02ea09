import BackupFormats
import JSONEvents
import Rules

/// The plan for inspecting a document of a known or unknown format.
struct InspectionPlan: Sendable {
  /// `nil` if the format is unknown or the rules don't describe one.
  let format: BackupFormat?
  let container: BackupFormat.Container
  let version: BackupFormat.VersionPolicy?
  /// The version of a document that declares none.
  let versionIfAbsent: Int?
  /// The results of migrations, one by one.
  let migrations: [Inspection.Migration]
  let collections: [CollectionPlan]
  let root: RuleDocument.ObjectShape
  /// The root's object members whose own members must all be known to the rules.
  let objects: [String: RuleDocument.ObjectShape]
  let settings: String?
  let createdAtFormat: StringFormat?
  let counts: [RuleDocument.DeclaredCount]
  /// The places of the values to read, with the use of each.
  let pointers: [(place: Place, tokens: [String])]

  /// The use of a value.
  enum Place: Sendable, Equatable {
    case version, createdAt, app, device
    /// An object that contains the version. The inspection only checks whether it occurs twice.
    case versionHolder
    /// The app's settings, which are only checked for presence.
    case settings
    /// One of the plan's counts.
    case count(Int)
  }

  /// Creates the plan for a document of unknown format.
  init() { self.init(nil, version: nil, origin: nil, settings: nil, collections: []) }

  /// Creates the plan for a document of a known format.
  ///
  /// - Parameter prefix: the document's start.
  init(_ format: BackupFormat, in container: BackupFormat.Container, prefix: [UInt8]) {
    self.init(
      format.rules, of: format, in: container, version: format.version, ifAbsent: format.version?.ifAbsent[container],
      migrations: format.migrations(for: prefix, in: container).map { .init(format: $0.becomes, version: $0.to) },
      origin: format.origin, settings: format.settings,
      collections: format.collections.map {
        CollectionPlan(
          format.rules, $0.rules, title: $0.title, date: $0.date, $0.dateFormat, namesEntries: container == .zip)
      })
  }

  /// Creates the plan for rules that don't belong to a format.
  init(_ rules: RuleDocument) {
    self.init(
      rules, version: nil, origin: nil, settings: nil,
      collections: rules.collections.map { collection in
        let date = collection.dates.first
        return CollectionPlan(rules, collection, title: collection.name, date: date?.field, date?.format)
      })
  }

  private init(
    _ rules: RuleDocument?, of format: BackupFormat? = nil, in container: BackupFormat.Container = .json,
    version: BackupFormat.VersionPolicy?, ifAbsent: Int? = nil, migrations: [Inspection.Migration] = [],
    origin: BackupFormat.Origin?,
    settings: String?,
    collections: [CollectionPlan]
  ) {
    self.format = format
    self.container = container
    self.version = version
    versionIfAbsent = ifAbsent
    self.migrations = migrations
    self.settings = settings
    self.collections = collections
    let shape = rules?.rootShape ?? RuleDocument.ObjectShape()
    root = shape
    var objects: [String: RuleDocument.ObjectShape] = [:]
    for member in shape.members {
      if let shape = rules?.shape(ofMember: member.name), shape.isClosed { objects[member.name] = shape }
    }
    self.objects = objects
    createdAtFormat = origin?.createdAt?.pointerTokens.flatMap { rules?.dateFormat(at: $0) }
    let counts = rules?.declaredCounts ?? []
    self.counts = counts
    var pointers: [(place: Place, tokens: [String])] = []
    func want(_ place: Place, _ pointer: String?) {
      if let tokens = pointer?.pointerTokens { pointers.append((place, tokens)) }
    }
    want(.version, version?.pointer)
    let names = version?.pointer.pointerTokens ?? []
    for count in names.indices.dropFirst() { pointers.append((.versionHolder, Array(names.prefix(count)))) }
    want(.createdAt, origin?.createdAt)
    want(.app, origin?.app)
    want(.device, origin?.device)
    want(.settings, settings)
    for (number, count) in counts.enumerated() { pointers.append((.count(number), count.path)) }
    self.pointers = pointers
  }
}

/// The plan for inspecting the records of a collection.
struct CollectionPlan: Sendable {
  let pointer: String
  let kind: RuleDocument.Collection.Kind
  let title: String
  /// True if the rules describe the collection.
  let isKnown: Bool
  /// The member with a record's date.
  let date: String?
  let dateFormat: StringFormat
  /// The members that are arrays of records.
  let nested: [String]
  /// The prefix of the container entries' names, by member that names entries.
  let entryPrefixes: [String]
  /// True if members that the rules don't define count as unknown.
  let isClosed: Bool
  let patterns: [Pattern]
  let fields: FieldTable

  /// Creates the plan of a collection that rules describe.
  ///
  /// - Parameter namesEntries: true to collect the container entries that records name.
  init(
    _ rules: RuleDocument, _ collection: RuleDocument.Collection, title: String, date: String?, _ dateFormat: StringFormat?,
    namesEntries: Bool = false
  ) {
    pointer = collection.pointer
    kind = collection.kind
    let shape = rules.recordShape(at: pointer)
    self.title = title
    isKnown = true
    self.date = dateFormat == nil ? nil : date
    self.dateFormat = dateFormat ?? .dateTime
    isClosed = shape.isClosed
    patterns = shape.patterns
    var nested: [String] = []
    var prefixes: [String] = []
    var fields = FieldTable()
    for member in shape.members {
      if member.name == self.date {
        fields.add(member.name, .date)
      } else if member.holdsRecords {
        fields.add(member.name, .nested(nested.count))
        nested.append(member.name)
      } else if namesEntries, let prefix = member.entryPrefix {
        fields.add(member.name, .entry(prefixes.count))
        prefixes.append(prefix)
      } else if isClosed {
        fields.add(member.name, .known)
      }
    }
    self.nested = nested
    entryPrefixes = prefixes
    self.fields = fields
  }

  /// Creates the plan of an array that no rules describe.
  init(unknown name: String?) {
    pointer = name.map { "/" + $0.pointerToken } ?? ""
    kind = .array
    title = name ?? "items"
    isKnown = false
    date = nil
    dateFormat = .dateTime
    nested = []
    entryPrefixes = []
    isClosed = false
    patterns = []
    fields = FieldTable()
  }
}
