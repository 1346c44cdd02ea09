import ByteStreams
import JSONEvents
import Rules

/// A plan for drawing a format's documents: its rules and hints, resolved once.
///
///     shape ─▶ recipe ─▶ value ─▶ text
struct Plan: Sendable {
  var root = Recipe.among([.null])
  var collections: [CollectionPlan] = []
  var files: [FilePlan] = []
  let isSorted: Bool
  let escapesSlashes: Bool
}

/// How one value is drawn.
indirect enum Recipe: Sendable {
  case among([JSONValue])
  /// The value at the record's own index: no two records have the same.
  case distinct([JSONValue])
  case number(Numbers)
  case uuid
  case text([TextPart])
  /// The key of another record.
  case key(Reference)
  /// A copy of another value; of a string, with a prefix.
  case copy(ValuePlace, prefix: String?)
  /// An item of another array, or a member of that item. Equal indices give the same item.
  case item(ValuePlace, member: String?)
  /// An object, of which each record takes one branch.
  case object([Branch])
  /// An array in a record, or one of values: its first items, and all others.
  case array(prefix: [Recipe], item: Recipe?, count: ClosedRange<Int>)
  /// The records of a collection of the envelope.
  case collection(Int)
  case choice([Recipe])
  /// The number of records in a collection.
  case count(Int)
  case sum(ValuePlace)
  /// The size and digest of the file that the record names.
  case fileSize(Int)
  case fileDigest(Int)

  /// True if the value is a collection or contains one, and is therefore part of the envelope.
  var holdsRecords: Bool {
    switch self {
    case .collection: true
    case .object(let branches): branches.contains { $0.members.contains(where: \.holdsRecords) }
    default: false
    }
  }
}

struct Branch: Sendable {
  var members: [Member]
  /// Its share of the records.
  let weight: Int

  struct Member: Sendable {
    var name: String
    var recipe: Recipe
    /// Makes its draws independent of those of its neighbours.
    let salt: UInt64
    /// The percentages of records in which it is missing and `null`.
    var absent: Int
    var null: Int
    /// True if the value is a collection or contains one.
    let holdsRecords: Bool

    init(_ name: String, at path: [String], _ recipe: Recipe, absent: Int = 0, null: Int = 0) {
      (self.name, self.recipe, self.absent, self.null) = (name, recipe, absent, null)
      salt = RandomSource.salt(path.pointer)
      holdsRecords = recipe.holdsRecords
    }
  }
}

/// An array of records in the envelope, or an object of records. It is written record by record, regardless of its size.
struct CollectionPlan: Sendable {
  /// The path from the root.
  let tokens: [String]
  /// True if it is an object. The member `0#` of a record is its name.
  var isMap = false
  /// Empty if no rule describes the records.
  var branches: [Branch] = []
  /// The branches of the first records: one of each that references or rules require.
  var heads: [Int] = []
  /// The branches that all other records may have.
  var body: [Int] = []
  /// The branches that satisfy a condition.
  var fitting: [Int: Set<Int>] = [:]
  var share = 1
  var least = 1
  var most = Int.max
  /// Collections that limit its size: it never has more records than any of them.
  var noMoreThan: [Int] = []

  init(tokens: [String]) { self.tokens = tokens }

  var pointer: String { tokens.pointer }
  var isDescribed: Bool { !branches.isEmpty }
}

/// A number or a point in time, as an integer number of units.
struct Numbers: Sendable {
  var low: Int64
  var high: Int64
  /// The limits that the rules allow, if another value's bound requires more than `low` and `high`.
  var hardLow: Int64
  var hardHigh: Int64
  var step: Int64 = 1
  /// The unit of a number is 10⁻ˢ, that of a time a second.
  var scale = 0
  /// The format of a time, or `decimal` for a quoted number such as `"24.0"`; `nil` for a plain number.
  var format: StringFormat?
  /// Bounds that are other values; an offset is added to a point in time.
  var bounds: [(place: ValuePlace, comparison: Comparison, offset: CalendarDuration?)] = []
  /// True if the number must not be an integer.
  var isFraction = false
  /// True if the number grows with the record's index, so that no two records have the same one.
  var ascends = false
  /// True if an ascending number shrinks with the index instead.
  var descends = false
  /// True if the numbers ascend with gaps, like a database's ids after deletions.
  var isSequence = false
  /// The step of a sequence: it uses one of every `stride` numbers.
  var stride: Int64 = 3
}

/// A part of a string.
enum TextPart: Sendable {
  case among([String])
  case number(ClosedRange<Int>)
  /// The record's number, counted from 1.
  case ordinal
  /// The record's index, or the number of records after it, in eight digits: texts that are sorted.
  case rank(isDescending: Bool)
}

/// A path to a value.
struct ValuePlace: Sendable {
  /// The number of containers to go up, or `nil` to start from the root.
  let up: Int?
  /// The names from there; `*` is each item.
  let path: [String]
}

/// A reference to the key of another record.
struct Reference: Sendable {
  let collection: Int
  /// The path from the record to the key.
  var field: [String]
  /// The condition that the target record must satisfy.
  var condition: Int?
  /// The fields of one foreign key share it, and so refer to the same record.
  let salt: UInt64
  /// The number of containers from the value up to the referring record.
  let up: Int
  /// True if each record refers to the one at its own index.
  let isOneToOne: Bool
  /// True if each item of an array is a reference.
  let isItem: Bool
}

/// Files that the records of a collection name, one per record (`containerEntry`).
struct FilePlan: Sendable {
  let collection: Int
  /// The member that names the file.
  let field: String
  let entry: Schema.ContainerEntry
  /// The finding code for a missing file.
  let code: String
  let location: String
}

extension Schema.ForeignKey.Target {
  /// Returns the target field for the reference's field at `position`; empty if the items themselves are the keys.
  func field(_ position: Int) -> Schema.FieldPath { fields.indices.contains(position) ? fields[position] : [] }
}
