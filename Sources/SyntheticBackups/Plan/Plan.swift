import Rules

/// A plan for generating a format's documents: its rules and hints, compiled once into flat tables.
///
/// A writer walks these tables and draws random numbers. The tables' elements own no memory, so that a draw updates no reference
/// count.
///
///     object ─▶ branches (one per record, by weight or by the record's index) ─▶ members ─▶ generator
///   generator: a piece of a pool · a number or a time · a UUID · a text of parts · another record's key · an object · an array …
struct Plan: Sendable {
  var generators: [Generator] = []
  var objects: [ObjectPlan] = []
  var branches: [BranchPlan] = []
  var members: [MemberPlan] = []
  var arrays: [ArrayPlan] = []
  var collections: [CollectionPlan] = []
  var numbers: [NumberPlan] = []
  var bounds: [BoundPlan] = []
  var references: [ReferencePlan] = []
  var sums: [SumPlan] = []
  /// The elements of all paths: indices into `names`.
  var paths: [Int32] = []
  var places: [DataPlace] = []
  var parts: [PartPlan] = []
  var choices: [Int32] = []
  var pieces: [Piece] = []
  /// The bytes of all pieces, as they are written in a document.
  var text: [UInt8] = []
  var names: [String] = []
  var root: Int32 = 0
  var isSorted = true
  var escapesSlashes = true
  var files: [FilePlan] = []
  var digest: FileDigest?

  /// A range of a table's rows.
  struct Slice: RandomAccessCollection, BitwiseCopyable, Sendable {
    let startIndex: Int32
    let endIndex: Int32

    init(_ start: Int32, _ end: Int32) {
      startIndex = start
      endIndex = end
    }

    var lowerBound: Int32 { startIndex }
    @inline(__always) subscript(index: Int32) -> Int32 { index }
    subscript(bounds: Range<Int32>) -> Slice { Slice(bounds.lowerBound, bounds.upperBound) }
  }

  struct Piece: BitwiseCopyable {
    var start: Int32
    var count: Int32
  }
}

enum Generator: BitwiseCopyable, Sendable {
  /// One of these pieces.
  case pool(Plan.Slice)
  /// The piece at the record's own index: no two records have the same.
  case distinct(Plan.Slice)
  case number(Int32)
  case uuid
  case text(Plan.Slice)
  case reference(Int32)
  /// A copy of another value.
  case copy(Int32)
  /// A copy of another string, with a prefix.
  case prefixed(Plan.Slice, place: Int32)
  /// An item of another array, or a member of that item.
  case item(place: Int32, name: Int32)
  case object(Int32)
  case array(Int32)
  case choice(Plan.Slice)
  case count(Int32)
  case sum(Int32)
  /// The size and digest of the file that the record names.
  case fileSize(Int32)
  case fileDigest(Int32)
}

struct ObjectPlan: Sendable {
  var branches: Plan.Slice
  var totalWeight: Int32
  /// True if the object contains a collection and is therefore part of the envelope.
  var holdsCollections: Bool
  var depth: Int32
}

struct BranchPlan: Sendable {
  var members: Plan.Slice
  var weight: Int32
}

struct MemberPlan: BitwiseCopyable, Sendable {
  var name: Int32
  var generator: Int32
  /// Makes its draws independent of those of its neighbours.
  var salt: UInt64
  /// The percentages of records in which it is missing and `null`.
  var absent: Int32
  var null: Int32
}

struct ArrayPlan: Sendable {
  var prefix: Plan.Slice
  var item: Int32
  var low: Int32
  var high: Int32
  /// The collection's index, or -1 for an array inside a record.
  var collection: Int32
  /// The collection that its items refer to, which limits its length. -1 if they refer to none.
  var referred: Int32
  /// The place of the array that its items come from, or -1 if there is none.
  var source: Int32
  var depth: Int32
}

/// An array of records in the envelope. It is written record by record, regardless of its size.
struct CollectionPlan: Sendable {
  var pointer: String
  /// The path from the root.
  var tokens: [String]
  var array: Int32
  var object: Int32
  /// The branches of the first records: one of each that references or rules require.
  var heads: [Int32]
  /// A bit set of the branches that all other records may have.
  var body: UInt64
  var share: Int
  var least: Int
  var most: Int
  /// Collections that limit its size: it never has more records than any of them.
  var noMoreThan: [Int32]
}

/// A number or a point in time, as an integer number of units.
struct NumberPlan: BitwiseCopyable, Sendable {
  enum Form: BitwiseCopyable, Sendable {
    case number
    /// `"24.0"`: a quoted number, always with a fraction.
    case quoted
    case dateTime, date, time
    case unixTime, unixMilliseconds, appleTime
  }

  var low: Int64
  var high: Int64
  /// The limits that the rules allow, if another value's bound requires more than `low` and `high`.
  var hardLow: Int64
  var hardHigh: Int64
  var step: Int64 = 1
  /// The unit is 10⁻ˢ.
  var scale: Int32 = 0
  var form: Form = .number
  var bounds: Plan.Slice = Plan.Slice(0, 0)
  /// True if the number grows with the record's index, so that no two records have the same one.
  var ascends = false
  /// True if an ascending number shrinks with the index instead.
  var descends = false
  /// True if the numbers ascend with gaps, like a database's ids after deletions.
  var isSequence = false
  /// The step of a sequence: it uses one of every `stride` numbers.
  var stride: Int64 = 3
}

/// A bound of a number that is another value.
struct BoundPlan: Sendable {
  var place: Int32
  var isLower: Bool
  var isExclusive: Bool
  /// An offset added to a point in time.
  var offset: CalendarDuration?
}

/// A path to a value, from an enclosing object or from the root.
struct DataPlace: BitwiseCopyable, Sendable {
  /// The number of objects to go up, or -1 to start from the root.
  var up: Int32
  /// Indices into `paths`: the names from there. -1 means every item.
  var path: Plan.Slice
}

struct ReferencePlan: BitwiseCopyable, Sendable {
  var collection: Int32
  /// Indices into `paths`: from the record to the key.
  var path: Plan.Slice
  /// A bit set of the branches that the target record may have.
  var branches: UInt64
  /// The fields of one foreign key share it, and so refer to the same record.
  var salt: UInt64
  /// The number of objects from the value up to the referring record.
  var up: Int32
  /// True if each record refers to the one at its own index.
  var isOneToOne: Bool
  /// True if each item of an array is a reference.
  var isItem: Bool
}

struct SumPlan: BitwiseCopyable, Sendable {
  var place: Int32
  /// The scale of the summands.
  var scale: Int32
}

struct PartPlan: BitwiseCopyable, Sendable {
  enum Content: BitwiseCopyable, Sendable {
    case pool(Plan.Slice)
    case number(Int64, Int64)
    /// The record's number, counted from 1.
    case ordinal
    /// The record's index, or the number of records after it, in eight digits: texts that are sorted.
    case rank(isDescending: Bool)
  }
  var content: Content
}

extension Schema.ForeignKey.Target {
  /// Returns the target field for the reference's field at `position`; empty if the items themselves are the keys.
  func field(_ position: Int) -> Schema.FieldPath { fields.indices.contains(position) ? fields[position] : [] }
}
