import Rules

/// How a format's documents are made: its rules and hints, worked out once into flat tables.
///
/// Whoever writes a record walks these tables and draws numbers; nothing in them owns memory of its own, so that no draw counts a reference.
///
///     object ─▶ branches (one a record, by weight or by the record's place) ─▶ members ─▶ generator
///     generator: a piece of a pool · a number or a time · a UUID · a text of parts · another record's key · an object · an array …
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
  /// Members that are looked for by name: names, numbered.
  var paths: [Int32] = []
  var places: [DataPlace] = []
  var parts: [PartPlan] = []
  var choices: [Int32] = []
  var pieces: [Piece] = []
  /// The texts of all pieces, as they stand in a document.
  var text: [UInt8] = []
  var names: [String] = []
  var root: Int32 = 0
  var reference: Int64 = 0
  var isSorted = true
  var escapesSlashes = true
  var files: [FilePlan] = []
  var digest: FileDigest?

  /// A run of a table's rows.
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
  /// The piece of the record's own number: no two records have the same.
  case distinct(Plan.Slice)
  case number(Int32)
  case uuid
  case text(Plan.Slice)
  case reference(Int32)
  /// The value that stands elsewhere.
  case copy(Int32)
  /// The string that stands elsewhere, behind a text.
  case prefixed(Plan.Slice, place: Int32)
  /// An item of an array elsewhere, or a member of that item.
  case item(place: Int32, name: Int32)
  case object(Int32)
  case array(Int32)
  case choice(Plan.Slice)
  case count(Int32)
  case sum(Int32)
  /// Of the file that the record names.
  case fileSize(Int32)
  case fileDigest(Int32)
}

struct ObjectPlan: Sendable {
  var branches: Plan.Slice
  var totalWeight: Int32
  /// Whether a collection stands in it: then it is part of the spine.
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
  /// Tells its draws from those of its neighbours.
  var salt: UInt64
  /// In how many of a hundred records it is missing, and `null`.
  var absent: Int32
  var null: Int32
}

struct ArrayPlan: Sendable {
  var prefix: Plan.Slice
  var item: Int32
  var low: Int32
  var high: Int32
  /// -1: it is no collection, but part of a record.
  var collection: Int32
  /// The collection whose records its items refer to, so that it is never longer than that; -1.
  var referred: Int32
  /// Where its items come from, if those are items of another array.
  var source: Int32
  var depth: Int32
}

/// An array of records that the document consists of: it is written record by record, whatever its size.
struct CollectionPlan: Sendable {
  var pointer: String
  /// From the root on.
  var tokens: [String]
  var array: Int32
  var object: Int32
  /// Which branch the first records take: one of each that others refer to or rules ask for.
  var heads: [Int32]
  /// Those that all others may take.
  var body: UInt64
  var share: Int
  var least: Int
  var most: Int
  /// It has at most as many records as these.
  var noMoreThan: [Int32]
}

/// A number or a point in time, as a whole number of units.
struct NumberPlan: BitwiseCopyable, Sendable {
  enum Form: BitwiseCopyable, Sendable {
    case number
    /// `"24.0"`: a number in quotes, always with a fraction.
    case quoted
    case dateTime, date, time
    case unixTime, unixMilliseconds, appleTime
  }

  var low: Int64
  var high: Int64
  /// What the rules allow at most, where a bound elsewhere asks for more than `low` and `high`.
  var hardLow: Int64
  var hardHigh: Int64
  var step: Int64 = 1
  /// The unit is 10⁻ˢ.
  var scale: Int32 = 0
  var form: Form = .number
  var bounds: Plan.Slice = Plan.Slice(0, 0)
  /// Grows with the record's place, so that no two records have the same.
  var ascends = false
  /// Ascending with gaps, as a database leaves them behind after deletions.
  var isSequence = false
  /// Of a sequence: one number in so many.
  var stride: Int64 = 3

  var isTime: Bool { form != .number && form != .quoted }
}

/// How a number stands to another one.
struct BoundPlan: Sendable {
  var place: Int32
  var isLower: Bool
  var isExclusive: Bool
  /// Added to a point in time.
  var offset: CalendarDuration?
}

/// A member of an object around a value, or of one at the root.
struct DataPlace: BitwiseCopyable, Sendable {
  /// How many objects further out; -1: from the root on.
  var up: Int32
  /// Into `paths`: the names that lead from there; -1 among them stands for each item.
  var path: Plan.Slice
}

struct ReferencePlan: BitwiseCopyable, Sendable {
  var collection: Int32
  /// Into `paths`: from the record to the key.
  var path: Plan.Slice
  /// The branches that the record may be of.
  var branches: UInt64
  /// Fields of one foreign key share it, and with it the record that they refer to.
  var salt: UInt64
  /// How many objects out the record stands that refers.
  var up: Int32
  /// Each record refers to the one at its own place.
  var isOneToOne: Bool
  /// Each item of an array refers on its own.
  var isItem: Bool
}

struct SumPlan: BitwiseCopyable, Sendable {
  var place: Int32
  /// Of the numbers that are added up.
  var scale: Int32
}

struct PartPlan: BitwiseCopyable, Sendable {
  enum Content: BitwiseCopyable, Sendable {
    case pool(Plan.Slice)
    case number(Int64, Int64)
    /// The record's number, from 1.
    case ordinal
  }
  var content: Content
}

extension Schema.ForeignKey.Target {
  /// The field that stands for one of the reference's; empty where the items themselves are the keys.
  func field(_ position: Int) -> Schema.FieldPath { fields.indices.contains(position) ? fields[position] : [] }
}
