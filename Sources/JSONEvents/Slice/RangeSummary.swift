/// What a range of a document contributes to the place of everything after it: a monoid under `append(_:)`.
///
///     … "tags": ["a, b"], "id": 7}, {"id": …
///                    |<-   range   ->|
///
///     outside  dead: ` b` can't be outside a string
///     inside   falls by two levels, after `]` and `}`, with a comma at each floor; ends outside a string, in an object
///
/// A range doesn't know whether it begins in a string, so it is scanned for both cases. The bytes before it decide which one is
/// true: the summary is a function of the state at its start, and never a guess. A case that a byte disproves is dead; if it is
/// the true one, the document is malformed.
///
/// A range may begin at any byte that doesn't follow a backslash, and isn't in the document's byte order mark.
/// Size: less than a kilobyte of JSON, because one case is dead almost always.
package struct RangeSummary: Sendable, Equatable {
  package internal(set) var extent: TextExtent
  /// The range if it begins outside a string; `nil` if that is impossible.
  package internal(set) var outside: RangeStructure?
  /// The range if it begins inside a string; `nil` if that is impossible.
  package internal(set) var inside: RangeStructure?

  /// The empty summary.
  package init() {
    extent = TextExtent()
    outside = RangeStructure(endsInString: false)
    inside = RangeStructure(endsInString: true)
  }

  /// Appends the range that follows: the result is the summary of both ranges' bytes.
  package mutating func append(_ next: RangeSummary) {
    outside = Self.joined(outside, next, after: extent)
    inside = Self.joined(inside, next, after: extent)
    extent = extent + next.extent
  }

  private static func joined(_ first: RangeStructure?, _ next: RangeSummary, after extent: TextExtent) -> RangeStructure? {
    guard var joined = first, let following = joined.endsInString ? next.inside : next.outside else { return nil }
    joined.append(following, after: extent)
    return joined
  }
}
