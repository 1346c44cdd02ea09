import JSONEvents
import Rules

/// The part of a record or member needed to find its counterpart in the other document: 80 bytes, regardless of its size.
///
/// Entries are ordered by key, then by value, then by document: the old one's first.
struct RecordEntry: BitwiseCopyable, Comparable {
  /// The node that contains it.
  var node: UInt32
  /// The forms of the key and the value: those of `KeyValue`.
  private var keyForm: UInt8
  private var valueForm: UInt8
  private(set) var side: Side
  private var flags: UInt8
  private var keyLow: UInt64
  private var keyHigh: UInt64
  private var valueLow: UInt64
  private var valueHigh: UInt64
  /// The start of the record, or of the member's name.
  var offset: Int
  var length: Int
  /// The record's index.
  var index: Int
  private var instant: Instant

  enum Side: UInt8, BitwiseCopyable, Sendable { case old, new }

  private static let unkeyed: UInt8 = 1
  private static let node: UInt8 = 2
  private static let hasTime: UInt8 = 4
  private static let member: UInt8 = 8
  private static let heldRecords: UInt8 = 16

  /// - Parameter index: a record's index, or `nil` for a member, or the document itself.
  init(_ digest: RecordDigest, in node: Int, side: Side, index: Int?) {
    self.node = UInt32(truncatingIfNeeded: node)
    self.side = side
    // Records without a key are identified by their value.
    let key = digest.key ?? digest.value
    keyForm = key.form.rawValue
    keyLow = key.low
    keyHigh = key.high
    valueForm = digest.value.form.rawValue
    valueLow = digest.value.low
    valueHigh = digest.value.high
    offset = digest.offset
    length = digest.end - digest.offset
    self.index = index ?? 0
    flags =
      (digest.key == nil ? Self.unkeyed : 0) | (digest.time == nil ? 0 : Self.hasTime) | (index == nil ? Self.member : 0)
    instant = digest.time ?? Instant(seconds: 0)
  }

  /// Creates the entry of a node itself, which is equal in both documents if it has the same kind in both.
  init(ofNodeAt range: Range<Int>, isArray: Bool, key: KeyValue, in node: Int, side: Side) {
    var digest = RecordDigest(offset: range.lowerBound, end: range.upperBound)
    digest.key = key
    self.init(digest, in: node, side: side, index: nil)
    valueForm = .max
    valueLow = isArray ? 1 : 0
    valueHigh = 0
    flags |= Self.node
  }

  var isMember: Bool { flags & Self.member != 0 }
  /// True for a member that is compared as a whole, although it is, or contains, an array with an object in it.
  var holdsRecords: Bool {
    get { flags & Self.heldRecords != 0 }
    set { flags = newValue ? flags | Self.heldRecords : flags & ~Self.heldRecords }
  }
  var isNode: Bool { flags & Self.node != 0 }
  var hasKey: Bool { flags & Self.unkeyed == 0 }
  var time: Instant? { flags & Self.hasTime != 0 ? instant : nil }
  var range: Range<Int> { offset..<offset + length }

  func hasKey(of other: RecordEntry) -> Bool {
    node == other.node && (flags ^ other.flags) & Self.unkeyed == 0 && keyForm == other.keyForm && keyLow == other.keyLow
      && keyHigh == other.keyHigh
  }

  func hasValue(of other: RecordEntry) -> Bool {
    valueLow == other.valueLow && valueHigh == other.valueHigh && valueForm == other.valueForm
  }

  static func < (a: RecordEntry, b: RecordEntry) -> Bool {
    if a.node != b.node { return a.node < b.node }
    let (aIsUnkeyed, bIsUnkeyed) = (a.flags & unkeyed, b.flags & unkeyed)
    if aIsUnkeyed != bIsUnkeyed { return aIsUnkeyed < bIsUnkeyed }
    if a.keyLow != b.keyLow { return a.keyLow < b.keyLow }
    if a.keyHigh != b.keyHigh { return a.keyHigh < b.keyHigh }
    if a.keyForm != b.keyForm { return a.keyForm < b.keyForm }
    if a.valueLow != b.valueLow { return a.valueLow < b.valueLow }
    if a.valueHigh != b.valueHigh { return a.valueHigh < b.valueHigh }
    if a.valueForm != b.valueForm { return a.valueForm < b.valueForm }
    if a.side != b.side { return a.side.rawValue < b.side.rawValue }
    return a.offset < b.offset
  }

  static func == (a: RecordEntry, b: RecordEntry) -> Bool { a.side == b.side && a.offset == b.offset && a.node == b.node }
}
