/// Rows about slots: how branches decide, and what is left unevaluated where they fail.
extension RuleProgram {
  package struct Resolution: Sendable, BitwiseCopyable {
    package enum Kind: UInt8, Sendable, BitwiseCopyable {
      case anyOf, oneOf, not
      /// Its branches are the test, then and else; `noBranch` stands for a missing one.
      case condition
      /// What `unevaluatedItems` or `unevaluatedProperties` found where only branches could have evaluated: `branches` is a run of
      /// `RuleProgram.uncovered`.
      case unevaluated
    }
    package static let noBranch = UInt16.max

    package var kind: Kind
    package var slot: UInt16
    /// A run of `RuleProgram.branches`: slots of the state.
    package var branches: Range32
    package var rule: Int32
  }

  package struct ContainsCount: Sendable, BitwiseCopyable {
    package var slot: UInt16
    package var rule: Int32
  }

  /// Members or items that an `unevaluated…` concerns if certain branches fail.
  package struct Uncovered: Sendable, BitwiseCopyable {
    /// The slot that they have failed.
    package var slot: UInt16
    /// Runs of `RuleProgram.coverLinks`, one a branch: the branch holds where each slot of its run has failed or not, as it should.
    package var links: Range32
  }

  package struct CoverLink: Sendable, BitwiseCopyable {
    package var slot: UInt16
    /// The test of an `else`.
    package var mustHaveFailed: Bool
    /// The last of a branch.
    package var isLast: Bool
  }

  /// Children of members whose names no table holds, in a state with patterns: they depend on which patterns match.
  package struct PatternRow: Sendable, BitwiseCopyable {
    /// The schema object (`properties`, `patternProperties` and `additionalProperties`) that it comes from.
    package var group: Int32
    /// One of the state's patterns; -1: `additionalProperties`, for names that none of the group matches.
    package var pattern: Int32
    /// Its state is -1 where nothing is asked.
    package var child: Child
  }

  /// An `unevaluatedProperties` in a state with patterns.
  package struct PatternCover: Sendable, BitwiseCopyable {
    /// Its slot is to be looked up.
    package var child: Child
    /// Runs of `RuleProgram.patternTests`. A name that one of these matches is evaluated …
    package var always: Range32
    /// … and these make the bits of an index, from the lowest on (a run ends with `isLast`), …
    package var bits: Range32
    /// … into this run of `RuleProgram.slotTable`.
    package var slots: Range32
  }

  package struct PatternTest: Sendable, BitwiseCopyable {
    package var pattern: Int32
    package var isLast: Bool
  }

  /// An `unevaluatedItems` beside or around `contains`: what it finds at an item is decided when that item has ended.
  package struct ItemCover: Sendable, BitwiseCopyable {
    /// The slot that items fail at first.
    package var slot: UInt16
    /// Counters of `contains` (a run of `RuleProgram.patternTests`) whose match evaluates the item for good, …
    package var always: Range32
    /// … and those that make the bits of an index …
    package var bits: Range32
    /// … into a run of `RuleProgram.slotTable`, one for each of the first items' places and one for all others.
    package var slots: Range32
    package var width: Int32
  }
}
