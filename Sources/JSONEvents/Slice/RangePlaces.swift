package import ByteStreams

/// The places of a range in its document at which collections can be cut.
///
/// If the document is suspect at the range's end, there are none: the error may be anywhere in the range.
package struct RangePlaces: Sendable, Equatable {
  /// A place in a container.
  package struct Mark: Sendable, Equatable {
    package var position: TextPosition
    /// The number of commas before it in the container: in an array, the index of the item that follows.
    package var index: Int
  }

  /// A container that is open at the range's start.
  package struct Enclosing: Sendable, Equatable {
    package var isArray: Bool
    /// The places after the container's first and last comma in the range, if there is one.
    package var firstCut: Mark?
    package var lastCut: Mark?
    /// The place of its closing bracket, if it closes in the range.
    package var end: Mark?
  }

  /// A container that is open at the range's end.
  package struct Container: Sendable, Equatable {
    package var isArray: Bool
    /// The place after its opening bracket, in this range or an earlier one.
    package var inside: TextPosition
    /// The place after its last comma so far, or after its bracket.
    package var latest: Mark
    /// The number of its commas so far.
    package var commaCount: Int { latest.index }
  }

  package var start: TextPosition
  package var end: TextPosition
  /// True if the document is malformed in the range or before it.
  package var isSuspect: Bool
  /// The outermost containers that are open at the range's start, at most three, from the root.
  package var enclosing: [Enclosing]
  /// The outermost containers that are open at the range's end, at most three, from the root.
  package var open: [Container]
}
