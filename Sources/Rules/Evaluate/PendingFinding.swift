import JSONEvents

/// A failure under a branch that is not decided yet.
struct PendingFinding {
  enum Content {
    /// A scalar of the current batch or slice: it is worded if the branch is shown, or its text goes.
    case unworded(RuleProgram.Check, ValueKind, text: ByteView, offset: Int, Pattern.Outcome)
    /// Likewise a container that begins in the current batch, and what was found instead of what a rule expects.
    case unwordedContainer(found: Found, offset: Int)
    case worded(FindingSubject, String)
    /// So many others went before it that it is only counted.
    case counted(Int)

    /// Whether it can still be worded when nothing is left but these bytes.
    func needsNothing(but lasting: ByteView) -> Bool {
      switch self {
      case .unworded(_, _, let text, _, _): lasting.contains(text)
      case .unwordedContainer, .worded, .counted: true
      }
    }
  }

  enum Found {
    case array, object, otherArray, otherObject
    case count(Int)
  }

  /// Where a value stands: in the innermost of so many frames, at a member or an index.
  struct Step {
    var depth: Int
    var member: Int32
    var index: Int
  }

  var active: Int32
  var slot: UInt16
  var rule: Int32
  /// How many containers were open around the value that failed.
  var depth: Int32
  /// The value itself is of another type than the branch asks for: the branch was hardly meant.
  var isTypeMismatch: Bool
  /// Where the value is, until the failure has been worded; `nil` afterwards.
  var step: Step?
  var content: Content

  /// The same under another branch.
  func moved(to asker: Asker) -> PendingFinding {
    var copy = self
    (copy.active, copy.slot) = (asker.active, asker.slot)
    return copy
  }
}
