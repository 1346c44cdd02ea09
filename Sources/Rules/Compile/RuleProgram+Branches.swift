/// Rows about slots: how branches are decided, and what remains unevaluated if they fail.
extension RuleProgram {
  package struct Resolution: Sendable, BitwiseCopyable {
    package enum Kind: UInt8, Sendable, BitwiseCopyable {
      case anyOf, oneOf, not
      /// A condition, whose branches are `if`, `then` and `else`; `noBranch` marks a missing one.
      case condition
      /// The findings of `unevaluatedItems` or `unevaluatedProperties` about values that only branches could have evaluated:
      /// `branches` is a run of `RuleProgram.uncovered`.
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

  /// Members or items that an `unevaluated…` applies to if certain branches fail.
  package struct Uncovered: Sendable, BitwiseCopyable {
    /// The slot that they have failed.
    package var slot: UInt16
    /// Runs of `RuleProgram.coverLinks`, one per branch: the branch holds if every slot of its run has failed or held as
    /// required.
    package var links: Range32
  }

  package struct CoverLink: Sendable, BitwiseCopyable {
    package var slot: UInt16
    /// True for the test of an `else`.
    package var mustHaveFailed: Bool
    /// True for the last link of a branch.
    package var isLast: Bool
  }

  /// Children for members whose names are in no table, in a state with patterns: they depend on the matching patterns.
  package struct PatternRow: Sendable, BitwiseCopyable {
    /// The schema object (`properties`, `patternProperties` and `additionalProperties`) of the row.
    package var group: Int32
    /// One of the state's patterns, or -1 for `additionalProperties`: names that match none of the group's patterns.
    package var pattern: Int32
    /// The child, whose state is -1 if no rule applies.
    package var child: Child
  }

  /// An `unevaluatedProperties` in a state with patterns.
  package struct PatternCover: Sendable, BitwiseCopyable {
    /// The child, whose slot must be looked up.
    package var child: Child
    /// Runs of `RuleProgram.patternTests`. A name that matches one of these is evaluated …
    package var always: Range32
    /// … and these make the bits of an index, from the lowest (a run ends with `isLast`), …
    package var bits: Range32
    /// … into this run of `RuleProgram.slotTable`.
    package var slots: Range32
  }

  package struct PatternTest: Sendable, BitwiseCopyable {
    package var pattern: Int32
    package var isLast: Bool
  }

  /// An `unevaluatedItems` next to or around `contains`: its findings about an item are decided when that item has ended.
  package struct ItemCover: Sendable, BitwiseCopyable {
    /// The slot that items fail at first.
    package var slot: UInt16
    /// The counters of `contains` (a run of `RuleProgram.patternTests`) whose match evaluates the item for good, …
    package var always: Range32
    /// … and those that make the bits of an index …
    package var bits: Range32
    /// … into a run of `RuleProgram.slotTable`, one for each place of the first items and one for all others.
    package var slots: Range32
    package var width: Int32
  }
}
