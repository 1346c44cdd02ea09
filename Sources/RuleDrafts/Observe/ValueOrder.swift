import JSONEvents

/// Whether the values of a place ascend or descend in each document, as far as the first 16 bytes of texts tell: a no is certain.
///
///     slice 1: 3 … 17     slice 2: 18 … 40      first and last values are compared when slices merge
struct ValueOrder: Sendable {
  private(set) var mayAscend = true
  private(set) var mayDescend = true
  private var ends: (first: Key, last: Key)?

  /// A value as a number that compares as the value does.
  private struct Key: Sendable {
    let high: UInt64
    let low: UInt64

    static func < (a: Key, b: Key) -> Bool { a.high < b.high || a.high == b.high && a.low < b.low }
  }

  /// False if nothing is left to observe.
  private var isOpen: Bool { mayAscend || mayDescend }

  @inline(__always)
  mutating func add(_ integer: Int64) {
    if isOpen { add(Key(high: UInt64(bitPattern: integer) ^ 1 << 63, low: 0)) }
  }

  /// - Parameter text: a text of an `EventBatch`, which is followed by eight readable bytes.
  @inline(__always)
  mutating func add(_ text: ByteView) {
    guard isOpen else { return }
    let low = text.count > 8 ? text.dropFirst(8).leadingWordOfPadded.byteSwapped : 0
    add(Key(high: text.leadingWordOfPadded.byteSwapped, low: low))
  }

  private mutating func add(_ key: Key) {
    guard let known = ends else { return ends = (key, key) }
    compare(known.last, key)
    ends = (known.first, key)
  }

  @inline(__always)
  private mutating func compare(_ earlier: Key, _ later: Key) {
    if later < earlier { mayAscend = false }
    if earlier < later { mayDescend = false }
  }

  /// The next document begins with any value.
  mutating func endDocument() { ends = nil }

  /// Without values, for further ones of the same document.
  var blank: ValueOrder {
    var blank = self
    blank.ends = nil
    return blank
  }

  /// Adds the next values of the same document.
  mutating func merge(_ next: ValueOrder) {
    mayAscend = mayAscend && next.mayAscend
    mayDescend = mayDescend && next.mayDescend
    guard let others = next.ends else { return }
    if let ends { compare(ends.last, others.first) }
    ends = (ends?.first ?? others.first, others.last)
  }
}
